"""Values of measures by run and topic, and how they are made."""
