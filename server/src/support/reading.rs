//! What is read of tickets: a conversation, what it is about, lists.

use super::{
    desk::Age,
    merging,
    model::{
        CustomerPanel, FoundMessages, MessagePage, MessageSearch, OwnSubjects, StaffTicket, TicketDetail,
        TicketFilter,
    },
    service::unknown,
    store::{self, Filter, Taken},
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        http::{ListParams, Paging, given, named},
        outbox, subjects,
    },
    identity::caller::Scope,
};
use protocol::{
    ErrorCode, StreamId,
    ids::{TicketId, UserId},
    views::{SubjectView, TicketView},
};
use sqlx::PgPool;
use time::OffsetDateTime;

const MESSAGES: i64 = 50;
const MAX_MESSAGES: i64 = 200;
/// Messages with the words that are shown at once.
const FOUND: usize = 50;
const RECENT_SUBJECTS: i64 = 8;
/// Of each kind, what a new ticket can be about.
const SUBJECTS_OF_EACH: i64 = 20;

/// A ticket with its newest messages, or a page of older or newer ones.
///
/// # Errors
/// `ticket.unknown`, `request.invalid` for a page out of bounds.
pub async fn detail(
    context: &Context,
    scope: Scope,
    id: TicketId,
    page: &MessagePage,
) -> Result<TicketDetail, Error> {
    let limit = page.limit.unwrap_or(MESSAGES);
    let bounds = [page.before, page.after]
        .into_iter()
        .flatten()
        .all(|n| (0..i64::from(i32::MAX)).contains(&n));
    if !(1..=MAX_MESSAGES).contains(&limit) || !bounds || (page.before.is_some() && page.after.is_some()) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("limit", ErrorCode::RequestInvalid));
    }
    let pool = context.db.pool();
    // The stream's place first: what happens while we read is told again by the stream, never left out.
    let (epoch, seq) = outbox::head(pool, StreamId::Ticket(id)).await?;
    let ticket = store::ticket(pool, scope, id).await?.ok_or_else(unknown)?;
    let (after, before) = match (page.before, page.after) {
        (_, Some(after)) => (after, after + limit + 1),
        (before, None) => {
            let before = before
                .unwrap_or(ticket.last_number + 1)
                .min(ticket.last_number + 1);
            (before - limit - 1, before)
        }
    };
    let messages = store::messages(pool, id, after, before).await?;
    let first = match messages.first().filter(|m| m.number == 1) {
        Some(first) => Some(first.clone()),
        None => store::message(pool, id, 1).await?,
    };
    let (customer, desk) = match scope {
        Scope::Own(_) => (None, None),
        Scope::Staff(_) => (customer(pool, ticket.user).await?, store::desk(pool, id).await?),
    };
    let about = match store::about(pool, id).await? {
        None => None,
        Some((kind, id)) => subjects::find(pool, &kind, id).await?.map(shown),
    };
    let merged = if page.before.is_none() && page.after.is_none() {
        merging::doubles(pool, &ticket).await?
    } else {
        Vec::new()
    };
    let rating = store::rating(pool, id).await?;
    Ok(TicketDetail {
        description: first.as_ref().map(|m| m.text.clone()).unwrap_or_default(),
        image: first.and_then(|m| m.attachment).map(|a| a.file),
        about,
        rating,
        has_older: messages.first().is_some_and(|m| m.number > 1),
        ticket,
        messages,
        merged,
        epoch,
        seq,
        customer,
        desk,
    })
}

/// What of a ticket's messages has all of the words, the newest first.
///
/// # Errors
/// `ticket.unknown`; `request.invalid` at `search` where no word is, at `before` for what is no number of a message.
pub async fn found(
    context: &Context,
    scope: Scope,
    id: TicketId,
    asked: &MessageSearch,
) -> Result<FoundMessages, Error> {
    let invalid =
        |field: &'static str| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid);
    let words = given(Some(&asked.search)).ok_or_else(|| invalid("search"))?;
    let before = asked.before.unwrap_or_else(|| i64::from(i32::MAX));
    if !(1..=i64::from(i32::MAX)).contains(&before) {
        return Err(invalid("before"));
    }
    let pool = context.db.pool();
    store::ticket(pool, scope, id).await?.ok_or_else(unknown)?;
    let most = i64::try_from(FOUND + 1).unwrap_or(i64::MAX);
    let mut data = store::found(pool, id, words, before, most).await?;
    let has_older = data.len() > FOUND;
    data.truncate(FOUND);
    Ok(FoundMessages {
        data,
        total: store::found_in_all(pool, id, words).await?,
        has_older,
    })
}

async fn customer(pool: &PgPool, owner: UserId) -> Result<Option<CustomerPanel>, Error> {
    let Some(mut panel) = store::customer(pool, owner).await? else {
        return Ok(None);
    };
    panel.recent = subjects::recent(pool, owner, RECENT_SUBJECTS)
        .await?
        .into_iter()
        .map(shown)
        .collect();
    Ok(Some(panel))
}

/// A thing as people see it.
pub(super) fn shown(subject: subjects::Subject) -> SubjectView {
    let (amount, currency) = subject.worth.shown();
    SubjectView {
        kind: subject.kind,
        id: subject.id,
        amount,
        currency: currency.to_owned(),
        status: subject.status,
        at: subject.at,
    }
}

/// What a new ticket of this person can be about.
///
/// # Errors
/// Whatever the database refuses.
pub async fn own_subjects(context: &Context, owner: UserId) -> Result<OwnSubjects, Error> {
    let all = subjects::recent_of_each(context.db.pool(), owner, SUBJECTS_OF_EACH).await?;
    Ok(OwnSubjects {
        data: all.into_iter().map(shown).collect(),
    })
}

/// By whom tickets are taken: a word, or one colleague's id.
fn taken(word: &str, reader: UserId) -> Option<Taken> {
    Some(match word {
        "me" => Taken::By(reader),
        "nobody" => Taken::Nobody,
        "someone" => Taken::Somebody,
        id => Taken::By(id.parse().ok()?),
    })
}

/// Which tickets a list shows, and in which order. Who has taken one, and its age, only staff's list is asked for.
///
/// # Errors
/// `request.invalid` for filters outside the closed sets.
pub fn asked(
    params: &ListParams,
    more: &TicketFilter,
    sorts: &[&'static str],
    scope: Scope,
    now: OffsetDateTime,
) -> Result<(Filter, &'static str), Error> {
    let taken = match scope {
        Scope::Staff(user) => named("agent", more.agent.as_deref(), |word| taken(word, user))?,
        Scope::Own(_) => named("agent", more.agent.as_deref(), |_| None)?,
    };
    let filter = Filter {
        category: named("category", params.category.as_deref(), |word| word.parse().ok())?,
        status: named("status", params.status.as_deref(), |word| word.parse().ok())?,
        waiting: more.waiting,
        owner: more.user_id,
        taken,
        opened_until: named("age", more.age.as_deref(), |word| word.parse::<Age>().ok())?
            .map(|age| now - age.least()),
        search: params.searched(),
    };
    Ok((filter, params.sort_key(sorts)?))
}

/// One's own tickets, and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(
    context: &Context,
    scope: Scope,
    filter: &Filter,
    sort: &'static str,
    paging: &Paging,
) -> Result<(Vec<TicketView>, i64), Error> {
    store::list(context.db.pool(), scope, filter, sort, paging).await
}

/// All tickets with what staff alone know of them, and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn staff_list(
    context: &Context,
    scope: Scope,
    filter: &Filter,
    sort: &'static str,
    paging: &Paging,
) -> Result<(Vec<StaffTicket>, i64), Error> {
    store::staff_list(context.db.pool(), scope, filter, sort, paging).await
}
