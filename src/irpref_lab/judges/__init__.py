"""Grades of an LLM judge beside human ones."""
