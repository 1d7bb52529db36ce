-- A withdrawal of PYX is one of PYX wherever it is pointed at, not of what they were worth.
UPDATE foundation.subject s SET amount = (w.wei / 1000000000000)::bigint, currency = 'PYX'
FROM wallet.withdrawal w WHERE s.kind = 'crypto_withdrawal' AND s.id = w.id AND w.coin = 'pyx';
ALTER TABLE foundation.subject ADD CONSTRAINT subject_currency CHECK (currency IN ('USDT', 'PYX'));
