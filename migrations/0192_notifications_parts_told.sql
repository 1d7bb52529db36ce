-- Of a bonus of which a part had gone it was remembered that it had, and not how much: the next part was told as all that had gone by then, what had
-- been told before once more. What was told is what its lines say; where they are gone, it is what had gone.
UPDATE notifications.seen s
SET state = 'paid,gone:' || coalesce(
    (SELECT sum(l.amount) FROM notifications.line l WHERE l.owner = b.receiver AND l.about = b.id AND l.code = 'bonus_taken_back'),
    b.returned + b.dropped)
FROM affiliates.bonus b
WHERE b.id = s.subject AND s.state = 'partly_taken_back';
