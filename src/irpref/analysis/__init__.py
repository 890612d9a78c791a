"""What values are made of and how far you can trust them: tables in, tables out."""
