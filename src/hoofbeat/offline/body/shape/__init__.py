"""The shape of a body: fields, surface, hair and colour."""
