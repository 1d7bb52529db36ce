-- An order of which a leg failed: what the others had left over was brought back, so that it ended without being what was asked for.
ALTER TABLE robots.manual_order ADD COLUMN unwound boolean NOT NULL DEFAULT false;
