"""What people look at: pictures, text tables. Nothing is computed here."""
