-- An order stands until an opportunity comes. Begun: its operation is reserved, and its owner takes it back no more. An order without a route takes
-- whichever comes first; what it took is written with its result.
ALTER TABLE robots.manual_order ADD COLUMN begun_at timestamptz;
ALTER TABLE robots.manual_order ALTER COLUMN route DROP NOT NULL;
