// An SMTP server for the tests: prints its port, then each message as one line of JSON.
import { SMTPServer } from 'smtp-server';

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, session, done) {
    const parts = [];
    stream.on('data', (part) => parts.push(part));
    stream.on('end', () => {
      const { mailFrom, rcptTo } = session.envelope;
      const raw = Buffer.concat(parts).toString('utf8');
      console.log(JSON.stringify({ from: mailFrom.address, to: rcptTo[0].address, raw }));
      done();
    });
  },
});

server.listen(0, '127.0.0.1', () => console.log(String(server.server.address().port)));
