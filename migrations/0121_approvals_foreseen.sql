-- What else was approved in the last 24 h beside each of several things that wait, as approvals.approved says it of one: who looks at a queue
-- sees from the start which of them needs a second person.
CREATE FUNCTION approvals.foreseen(approver uuid, subjects uuid[], customers uuid[], since timestamptz)
RETURNS TABLE (subject uuid, customer_sum bigint, approver_sum bigint) LANGUAGE sql STABLE AS $$
    WITH approved AS (
        SELECT d.customer, d.decided_by, d.subject, d.usdt FROM approvals.decision d
        WHERE (d.customer = ANY(customers) OR d.decided_by = approver) AND d.at > since AND d.verdict = 'approve'
          AND NOT EXISTS (SELECT FROM approvals.decision r
                          WHERE r.kind = d.kind AND r.subject = d.subject AND r.verdict = 'reject' AND r.at >= d.at))
    SELECT w.subject,
           foundation.clamped((SELECT sum(c.most) FROM (SELECT max(a.usdt) AS most FROM approved a
               WHERE a.customer = w.customer AND a.subject <> w.subject GROUP BY a.subject) c)),
           foundation.clamped((SELECT sum(c.most) FROM (SELECT max(a.usdt) AS most FROM approved a
               WHERE a.decided_by = approver AND a.subject <> w.subject GROUP BY a.subject) c))
    FROM unnest(subjects, customers) AS w(subject, customer)
$$;
