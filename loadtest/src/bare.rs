//! The floor: actix-web-actors with nothing around it, one actor per socket, the frame encoded once.

use actix::{Actor, Addr, Handler, Message};
use actix_web::{App, Error, HttpRequest, HttpResponse, HttpServer, web};
use actix_web_actors::ws;
use bytestring::ByteString;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Message)]
#[rtype(result = "()")]
struct Frame(ByteString);

type All = Arc<Mutex<Vec<Addr<Session>>>>;

struct Session {
    all: All,
}

impl Actor for Session {
    type Context = ws::WebsocketContext<Self>;
    fn started(&mut self, context: &mut Self::Context) {
        use actix::AsyncContext;
        // Room for the whole backlog: the default of 16 drops messages without a word.
        context.set_mailbox_capacity(4_096);
        self.all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(context.address());
    }
}

impl Handler<Frame> for Session {
    type Result = ();
    fn handle(&mut self, frame: Frame, context: &mut Self::Context) {
        context.text(frame.0);
    }
}

impl actix::StreamHandler<Result<ws::Message, ws::ProtocolError>> for Session {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, context: &mut Self::Context) {
        if let Ok(ws::Message::Ping(payload)) = message {
            context.pong(&payload);
        }
    }
}

async fn connect(
    request: HttpRequest,
    all: web::Data<All>,
    payload: web::Payload,
) -> Result<HttpResponse, Error> {
    ws::WsResponseBuilder::new(
        Session {
            all: all.get_ref().clone(),
        },
        &request,
        payload,
    )
    .start()
}

async fn publish(all: web::Data<All>, body: String) -> HttpResponse {
    let text = ByteString::from(body);
    for session in all.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = session.try_send(Frame(text.clone()));
    }
    HttpResponse::Ok().finish()
}

/// Serves until killed.
pub fn run(port: u16) -> anyhow::Result<()> {
    actix_web::rt::System::new().block_on(async move {
        let all = web::Data::new(All::default());
        HttpServer::new(move || {
            App::new()
                .app_data(all.clone())
                .route("/ws", web::get().to(connect))
                .route("/publish", web::post().to(publish))
        })
        .workers(2)
        .backlog(8192)
        .bind(("127.0.0.1", port))?
        .run()
        .await
    })?;
    Ok(())
}
