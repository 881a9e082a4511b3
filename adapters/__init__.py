"""What drives real systems as targets, and what measures, audits and imports for them. Started by __main__.py."""
