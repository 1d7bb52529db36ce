-- Identity: a reset begins the hourly counts of mailed codes anew: who had the password used them up.
ALTER TABLE identity.account ADD COLUMN codes_anew_at timestamptz;
-- Of a session that asked, the device among those known longest on which it lives; codes of the hours before stand among all others.
COMMENT ON COLUMN identity.code.device IS 'the known device that signs in, or one of the longest known on which the asking session lives';
