"""Values as text for people, within 80 columns."""
