"""Users' programs and models as cases."""
