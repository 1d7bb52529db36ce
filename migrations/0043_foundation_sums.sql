-- Sums of money. Whatever people may type, adding it up never fails: a sum is numeric, and as an amount it is at most the greatest one.
-- What is limited by a sum is refused by then.
CREATE FUNCTION foundation.clamped(sum numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN sum > 9223372036854775807 THEN 9223372036854775807
                WHEN sum < -9223372036854775808 THEN -9223372036854775808
                ELSE sum END::bigint
$$;
