//! One gate before every call: language, route table, rate limit, session, permission, state of the account.
//!
//! A path that is not in the route table does not exist. Rate limits stand before anything costly. Permissions come from the
//! database through the session cache, which the bus invalidates.
//!
//! 2026-11-27: who is signed in is counted by session: one that a thief has used up the person's whole minute, every minute, and the owner could
//! not end it. All sessions of a person together get [`SESSIONS`] times as much, but for what protects an account: that counts each call in each
//! session alone.

use super::{
    caller::Completeness,
    codes::SEAT,
    looks,
    sessions::{self, SessionState},
};
use crate::{
    config::AddressRange,
    error::Error,
    foundation::{context::Context, files::Viewer, locale::Locale},
};
use actix_web::{
    HttpMessage, ResponseError,
    body::{EitherBody, MessageBody},
    dev::{Extensions, Service, ServiceRequest, ServiceResponse, Transform},
    http::{Method, header::HeaderMap},
    web,
};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use protocol::{
    ErrorCode, Permission,
    ids::{SessionId, UserId},
    permission::Permissions,
};
use std::{
    collections::HashMap,
    future::{Future, Ready, ready},
    net::IpAddr,
    num::NonZeroU32,
    pin::Pin,
    rc::Rc,
    sync::Arc,
};

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone, signed in or not.
    Public,
    /// Anyone signed in, also unconfirmed, incomplete or inactive accounts.
    SignedIn,
    /// Signed in with this permission, address confirmed (but for marked routes), account complete. Inactive accounts read what is
    /// their own and take money out only: no permission of staff is theirs meanwhile, not even to read. Those that have newer terms
    /// before them may read all that they did, and take money out.
    Permission(Permission),
}

/// How often one session (or address, when not signed in) may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Reads: 600 a minute.
    Read,
    /// Ordinary changes: 120 a minute.
    Write,
    /// Money: 60 a minute.
    Money,
    /// Sign-in, codes, links: 10 a minute an address.
    Sensitive,
    /// Searching people: 20 a minute, by a person.
    Search,
    /// Uploads and whole lists: 20 a minute, by a person.
    Upload,
}

impl Limit {
    const ALL: [Self; 6] = [
        Self::Read,
        Self::Write,
        Self::Money,
        Self::Sensitive,
        Self::Search,
        Self::Upload,
    ];
    const fn per_minute(self) -> u32 {
        match self {
            Self::Read => 600,
            Self::Write => 120,
            Self::Money => 60,
            Self::Sensitive => 10,
            Self::Search | Self::Upload => 20,
        }
    }
}

/// How many sessions' worth a person gets.
const SESSIONS: u32 = 5;

/// Whose tries a limit counts.
#[derive(Clone, Copy, Debug)]
enum Who<'a> {
    /// Nobody who is signed in.
    Address(&'a str),
    Session(UserId, SessionId),
}

/// What an inactive account may still do with a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inactive {
    Refused,
    Allowed,
}

/// One line of the route table.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    pub method: &'static str,
    /// actix template below `/api`.
    pub path: &'static str,
    pub access: Access,
    pub limit: Limit,
    pub inactive: Inactive,
    /// Moves money out: must pass `guard_outbound`.
    pub outbound: bool,
    /// Open to accounts whose address is not confirmed: the help that they may need with that.
    pub unconfirmed: bool,
    /// Protects an account, or shows what is to be protected: counted by itself, in each session alone.
    pub shields: bool,
    /// A change of staff's that is no decision: open to who is frozen or does not count yet.
    pub undeciding: bool,
    /// The call says itself what an account has not accepted yet, and refuses whoever is incomplete after that.
    pub tells_missing: bool,
    /// Asks nothing of what an account has not accepted: the way out.
    pub incomplete: bool,
    /// Open to who looks at an account as its owner sees it. Whatever does not say so is shut to them.
    pub seen: bool,
}

impl Route {
    /// Whatever an administrator changes, of the house or of somebody's account, is a decision, unless its line says that it is none: whose
    /// mailbox an account has is whose money it is (2026-11-26). Who holds a support role alone is bounded by that role.
    #[must_use]
    pub fn is_decision(&self, permissions: &Permissions) -> bool {
        let changes = self.method != "GET" && !self.undeciding;
        changes
            && match self.access {
                Access::Permission(Permission::AdminPermissions) => true,
                Access::Permission(Permission::UserEdit) => permissions.holds(Permission::AdminPermissions),
                _ => false,
            }
    }
}

/// By what one session (or address) gets, and by what all of a person's get.
type Buckets = HashMap<(Limit, u32), DefaultKeyedRateLimiter<String>>;

/// The gate; clones share their counters.
#[derive(Clone)]
pub struct Gate {
    /// By template, then by method: a template has few.
    table: Arc<HashMap<String, Vec<Route>>>,
    buckets: Arc<Buckets>,
    trusted: Arc<Vec<AddressRange>>,
    relaxed: bool,
}

impl Gate {
    /// `trusted` proxies may name the client's address; `relaxed` multiplies limits by 1 000 (load tests).
    #[must_use]
    pub fn new(routes: &[Route], trusted: Vec<AddressRange>, relaxed: bool) -> Self {
        let factor = if relaxed { 1_000 } else { 1 };
        let buckets = Limit::ALL
            .into_iter()
            .flat_map(|limit| [(limit, 1), (limit, SESSIONS)])
            .filter_map(|(limit, times)| {
                NonZeroU32::new(limit.per_minute() * times * factor)
                    .map(|n| ((limit, times), RateLimiter::keyed(Quota::per_minute(n))))
            })
            .collect();
        let mut table: HashMap<String, Vec<Route>> = HashMap::new();
        for route in routes {
            table
                .entry(format!("/api{}", route.path))
                .or_default()
                .push(*route);
        }
        Self {
            table: Arc::new(table),
            buckets: Arc::new(buckets),
            trusted: Arc::new(trusted),
            relaxed,
        }
    }

    /// Forgets counters of callers that have been quiet; run it every minute.
    pub fn sweep(&self) {
        for bucket in self.buckets.values() {
            bucket.retain_recent();
            bucket.shrink_to_fit();
        }
    }

    /// The client's address: from X-Forwarded-For only when the peer is a trusted proxy.
    #[must_use]
    pub fn client(&self, peer: Option<IpAddr>, forwarded: Option<&str>) -> Option<IpAddr> {
        let is_trusted = |address: IpAddr| self.trusted.iter().any(|range| range.contains(address));
        if !peer.is_some_and(is_trusted) {
            return peer;
        }
        forwarded
            .and_then(|list| {
                list.rsplit(',')
                    .filter_map(|part| part.trim().parse::<IpAddr>().ok())
                    .find(|a| !is_trusted(*a))
            })
            .or(peer)
    }

    /// The client's address as limits count it: IPv6 by /64.
    #[must_use]
    pub fn address(&self, peer: Option<IpAddr>, forwarded: Option<&str>) -> String {
        match self.client(peer, forwarded) {
            Some(IpAddr::V4(v4)) => v4.to_string(),
            Some(IpAddr::V6(v6)) => {
                let s = v6.segments();
                format!("{:x}:{:x}:{:x}:{:x}::/64", s[0], s[1], s[2], s[3])
            }
            None => "unknown".into(),
        }
    }

    fn limit(&self, limit: Limit, who: Who<'_>, route: &Route) -> Result<(), Error> {
        // Sensitive routes count each by itself, the rest by class: a busy screen must not block a sign-in.
        // A whole list costs what it costs, whatever it shows.
        let shields = route.shields && limit == route.limit;
        let apart = limit == Limit::Sensitive || shields;
        let key = |whose: &str| {
            if apart {
                format!("{whose} {} {}", route.method, route.path)
            } else {
                whose.to_owned()
            }
        };
        let counts = match who {
            Who::Address(address) => vec![(1, key(address))],
            Who::Session(_, session) if shields => vec![(1, key(&session.to_string()))],
            // What these cost, or tell, is bounded for the person.
            Who::Session(user, _) if matches!(limit, Limit::Search | Limit::Upload) => {
                vec![(1, key(&user.to_string()))]
            }
            Who::Session(user, session) => {
                vec![(1, key(&session.to_string())), (SESSIONS, key(&user.to_string()))]
            }
        };
        for (times, key) in counts {
            if let Some(Err(_)) = self.buckets.get(&(limit, times)).map(|b| b.check_key(&key)) {
                let wait = 60 / limit.per_minute().clamp(1, 60) + 1;
                return Err(Error::code(ErrorCode::RateLimited).retry_after(wait));
            }
        }
        Ok(())
    }

    async fn pass(&self, req: &ServiceRequest, locale: Locale) -> Result<Option<SessionState>, Error> {
        let method = if req.method() == Method::HEAD {
            "GET"
        } else {
            req.method().as_str()
        };
        let pattern = req.match_pattern().unwrap_or_default();
        let Some(methods) = self.table.get(&pattern) else {
            return Err(Error::code(ErrorCode::RequestNotFound));
        };
        let Some(route) = methods.iter().find(|route| route.method == method) else {
            return Err(Error::code(ErrorCode::RequestMethod));
        };
        req.extensions_mut().insert(Template(route.path));
        let forwarded = self::forwarded(req.headers());
        let address = self.address(req.peer_addr().map(|a| a.ip()), forwarded.as_deref());
        req.extensions_mut().insert(ClientAddress(address.clone()));
        if route.access == Access::Public {
            self.limit(route.limit, Who::Address(&address), route)?;
            // What is anybody's needs nobody's eyes.
            return match looks::named(req.headers())? {
                Some(_) => Err(Error::code(ErrorCode::LookRefused)),
                None => Ok(None),
            };
        }
        let token = bearer(req).ok_or_else(|| Error::code(ErrorCode::Unauthenticated));
        let Ok(token) = token else {
            self.limit(route.limit, Who::Address(&address), route)?;
            return Err(Error::code(ErrorCode::Unauthenticated));
        };
        let context = req
            .app_data::<web::Data<Context>>()
            .ok_or_else(|| Error::internal("no context"))?;
        // A second-old state is good enough for reading and for one's own things; outbound money and what staff change ask anew.
        let staff = matches!(route.access, Access::Permission(p) if p != Permission::RegisteredUser);
        if route.outbound || (staff && method != "GET") {
            sessions::refresh_state(context, token).await?;
        }
        let mut state = sessions::authenticate(context, token).await?;
        let caller = &mut state.caller;
        caller.locale = locale;
        // A file of a whole list is more work than a page of it.
        let whole = web::Query::<Vec<(String, String)>>::from_query(req.query_string())
            .is_ok_and(|given| given.iter().any(|(name, text)| name == "format" && text == "csv"));
        let limit = if whole { Limit::Upload } else { route.limit };
        self.limit(limit, Who::Session(caller.user, caller.session), route)?;
        // From here on the caller is who is looked at. What is not marked is refused before anything else is asked.
        if let Some(look) = looks::named(req.headers())? {
            if !route.seen || route.method != "GET" || whole {
                return Err(Error::code(ErrorCode::LookRefused));
            }
            *caller = looks::seen(context, caller, look, route.path).await?;
        }
        if let Access::Permission(permission) = route.access {
            if !caller.permissions.holds(permission) {
                return Err(Error::code(if caller.withheld.holds(permission) {
                    ErrorCode::AccountInactive
                } else {
                    ErrorCode::Forbidden
                }));
            }
            if !caller.email_confirmed && !route.unconfirmed {
                return Err(Error::code(ErrorCode::EmailUnconfirmed));
            }
            if !caller.active && route.inactive == Inactive::Refused {
                return Err(Error::code(ErrorCode::AccountInactive));
            }
            let may = match caller.completeness {
                Completeness::Complete => true,
                Completeness::Renewal => method == "GET" || route.inactive == Inactive::Allowed,
                Completeness::Incomplete => method == "GET",
            };
            if !may && !route.tells_missing && !route.incomplete {
                return Err(Error::code(ErrorCode::ProfileIncomplete));
            }
            if route.is_decision(&caller.permissions) {
                caller.decides(context.now())?;
            }
        }
        Ok(Some(state))
    }

    /// Whether limits are lifted for a load test.
    #[must_use]
    pub const fn relaxed(&self) -> bool {
        self.relaxed
    }
}

/// The client's address after proxies, as limits and session lists use it.
#[derive(Clone, Debug)]
pub struct ClientAddress(pub String);

/// All that was said of where a request came from, in order: a proxy may add a line of its own below one that its client wrote.
#[must_use]
pub fn forwarded(headers: &HeaderMap) -> Option<String> {
    let lines: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .filter_map(|line| line.to_str().ok())
        .collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

/// The path of the route that a request has found in the table, as it stands there.
#[derive(Clone, Copy, Debug)]
pub struct Template(pub &'static str);

/// Whatever answers this call has the database through connections that change nothing.
fn change_nothing(req: &mut ServiceRequest) {
    let Some(context) = req.app_data::<web::Data<Context>>() else {
        return;
    };
    let mut only = context.get_ref().clone();
    only.db = only.db.read_only();
    let mut data = Extensions::new();
    data.insert(web::Data::new(only));
    // The newest container is asked first.
    req.add_data_container(Rc::new(data));
}

fn bearer(req: &ServiceRequest) -> Option<&str> {
    req.headers()
        .get("authorization")?
        .to_str()
        .ok()?
        .strip_prefix("Bearer ")
}

impl<S, B> Transform<S, ServiceRequest> for Gate
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = actix_web::Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = actix_web::Error;
    type Transform = GateService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(GateService {
            inner: Rc::new(service),
            gate: self.clone(),
        }))
    }
}

pub struct GateService<S> {
    inner: Rc<S>,
    gate: Gate,
}

impl<S, B> Service<ServiceRequest> for GateService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = actix_web::Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>>>>;

    actix_web::dev::forward_ready!(inner);

    fn call(&self, mut req: ServiceRequest) -> Self::Future {
        let (inner, gate) = (self.inner.clone(), self.gate.clone());
        let locale = Locale::of_request(req.headers());
        Box::pin(crate::foundation::locale::CURRENT.scope(locale, async move {
            match gate.pass(&req, locale).await {
                Ok(Some(SessionState { caller, seat, .. })) => {
                    if caller.seen_by.is_some() {
                        change_nothing(&mut req);
                    }
                    req.extensions_mut()
                        .insert(Viewer::new(caller.user, caller.permissions));
                    req.extensions_mut().insert(caller);
                    let answer = SEAT.scope(seat, inner.call(req)).await;
                    answer.map(ServiceResponse::map_into_left_body)
                }
                Ok(None) => inner.call(req).await.map(ServiceResponse::map_into_left_body),
                Err(error) => {
                    let response = error.error_response();
                    Ok(req.into_response(response).map_into_right_body())
                }
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    #[test]
    fn a_line_that_a_proxy_adds_counts_and_not_its_clients() {
        let gate = Gate::new(&[], vec!["10.0.0.0/8".parse().unwrap()], false);
        let mut headers = HeaderMap::new();
        let name = HeaderName::from_static("x-forwarded-for");
        headers.append(name.clone(), HeaderValue::from_static("198.51.100.7"));
        headers.append(name, HeaderValue::from_static("203.0.113.9"));
        let client = gate.client("10.0.0.2".parse().ok(), forwarded(&headers).as_deref());
        assert_eq!(client, "203.0.113.9".parse().ok());
        assert_eq!(forwarded(&HeaderMap::new()), None);
    }
}
