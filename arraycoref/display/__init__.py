"""Layout of text: tables and escaping (`tables`), and the formats in which every result is written (`formats`)."""
