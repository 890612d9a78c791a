"""Problems of judgments and runs."""
