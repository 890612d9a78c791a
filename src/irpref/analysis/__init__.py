"""What values are made of and what they can bear: tables in, tables out."""
