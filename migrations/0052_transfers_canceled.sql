-- A transfer that waits ends when a credit behind it is reversed.
ALTER TABLE transfers.transfer DROP CONSTRAINT transfer_status_check;
ALTER TABLE transfers.transfer ADD CONSTRAINT transfer_status_check CHECK (status IN ('pending', 'complete', 'rejected', 'canceled'));
ALTER TABLE transfers.transfer DROP CONSTRAINT transfer_reason;
ALTER TABLE transfers.transfer ADD CONSTRAINT transfer_reason CHECK ((status IN ('rejected', 'canceled')) = (reason IS NOT NULL));
