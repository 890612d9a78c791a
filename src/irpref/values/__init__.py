"""Values of measures by run and topic, and what they can rest on."""
