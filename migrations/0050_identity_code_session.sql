-- Which session asked for a code; none of one for signing in. Each has its own count an hour.
ALTER TABLE identity.code ADD COLUMN session uuid;
