"""The builder of bodies: a drawing of an animal becomes a skin. Slow; the skins are shipped built."""
