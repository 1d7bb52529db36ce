//! The closing of a day.

use super::{BINARY, GRADUATION, LADDER, Match, Network, Of, RESIDUAL, UNIT, share};

impl Network {
    /// The closing of a day: residual, binary, graduations; members in the order of their ids.
    ///
    /// `ends`: the day's end, in seconds since 1970.
    pub fn close(&mut self, day: i64, ends: i64) {
        let count = self.members.len();
        let mut by_id: Vec<usize> = (1..count).collect();
        by_id.sort_by_key(|m| self.members[*m].id);
        // Everybody as they are when the day ends.
        let active: Vec<bool> = (0..count).map(|m| self.active(m)).collect();
        let cap: Vec<i64> = (0..count)
            .map(|m| {
                self.members[m]
                    .licences
                    .iter()
                    .filter(|l| l.active)
                    .map(|l| l.value)
                    .sum()
            })
            .collect();
        let on_leg = |m: usize, right: bool| {
            (1..count)
                .any(|r| self.members[r].sponsor == Some(m) && self.members[r].right == right && active[r])
        };
        let qualified: Vec<bool> = (0..count).map(|m| on_leg(m, false) && on_leg(m, true)).collect();

        // What later days brought stays for theirs.
        let later = self.gains.split_off(&(day + 1, 0));
        let gains = std::mem::replace(&mut self.gains, later);
        self.today = self.today.max(day + 1);
        let mut residual = Vec::new();
        for source in &by_id {
            let Some(gain) = gains.get(&(day, *source)) else {
                continue;
            };
            let sum = gain - self.members[*source].losses;
            self.members[*source].losses = (-sum).max(0);
            if sum <= 0 {
                continue;
            }
            for (above, (level, ppm)) in self.sponsors(*source).into_iter().zip((1i16..).zip(RESIDUAL)) {
                residual.push((above, *source, level, sum, ppm));
            }
        }
        // Everything of one receiver together, receivers and their sources in the order of their ids.
        residual.sort_by_key(|(above, source, ..)| (self.members[*above].id, self.members[*source].id));
        for (above, source, level, sum, ppm) in residual {
            let rule = (!active[above]).then_some(("inactive", 0));
            let young = self.young_until(source);
            self.give(
                day,
                above,
                Some(source),
                "residual",
                level,
                sum,
                ppm,
                rule,
                young,
                Of::default(),
            );
        }

        let mut new = vec![[0i64; 2]; count];
        let mut taken = vec![[0i64; 2]; count];
        let all = std::mem::take(&mut self.points);
        let (ended, later): (Vec<_>, Vec<_>) = all.into_iter().partition(|(.., on)| *on <= day);
        self.points = later;
        for (seller, points, _) in ended {
            let mut at = seller;
            while let Some(up) = self.members[at].parent {
                let leg = usize::from(self.members[at].right);
                if points > 0 {
                    new[up][leg] += points;
                } else {
                    taken[up][leg] -= points;
                }
                at = up;
            }
        }
        for m in &by_id {
            let member = &mut self.members[*m];
            for leg in [0, 1] {
                // What is taken back leaves the carry, never below zero; the rest comes off new points.
                let from_carry = taken[*m][leg].min(member.carry[leg]);
                member.carry[leg] -= from_carry;
                member.owed[leg] += taken[*m][leg] - from_carry;
                let set_off = new[*m][leg].min(member.owed[leg]);
                member.owed[leg] -= set_off;
                member.carry[leg] += new[*m][leg] - set_off;
            }
            let [left, right] = member.carry;
            let matched = left.min(right);
            if matched == 0 {
                continue;
            }
            member.carry = [left - matched, right - matched];
            let rule = if !active[*m] {
                ("inactive", 0)
            } else if !qualified[*m] {
                ("not_qualified", 0)
            } else {
                ("daily_cap", cap[*m])
            };
            // Until the youngest money of a sale below is no longer young.
            let young = self
                .sales
                .values()
                .filter(|sale| sale.stood(day) && self.stands_below(sale.who, *m))
                .filter_map(|sale| sale.young_until.filter(|until| *until > ends))
                .max();
            let given = self.give(
                day,
                *m,
                None,
                "binary",
                0,
                matched,
                BINARY,
                Some(rule),
                young,
                Of::default(),
            );
            let bonus = given.map(|at| self.bonuses[at].clone());
            let earned = bonus.as_ref().map_or(0, |b| b.paid + b.waiting);
            let whole = bonus.as_ref().map_or(0, |b| b.gross);
            // Ten points a USDT: what was paid for, the rest is lost. A whole bonus loses none; who gets none loses them all.
            let lost = match rule.0 {
                "inactive" | "not_qualified" => matched,
                _ if earned == whole => 0,
                _ => matched - earned * 10,
            };
            self.members[*m].paid_points += matched - lost;
            self.matches.insert(
                (day, self.members[*m].id),
                Match {
                    left,
                    right,
                    matched,
                    lost,
                    reason: bonus.map_or(Some(rule.0), |b| b.reason).filter(|_| lost > 0),
                },
            );
        }
        for m in &by_id {
            let member = &mut self.members[*m];
            for (rank, threshold) in (1i16..).zip(LADDER) {
                if rank > member.rank && member.paid_points >= threshold * UNIT {
                    member.rank = rank;
                    let bonus = share(threshold * UNIT, GRADUATION);
                    self.graduations
                        .insert((member.id, rank), (threshold * UNIT, bonus, day));
                }
            }
        }
    }
}
