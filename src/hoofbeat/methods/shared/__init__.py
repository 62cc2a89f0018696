"""What several methods do alike."""
