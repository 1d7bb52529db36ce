// An SMTP server for the tests: prints its port, then each message as one line of JSON. Nobody lives at gone@…; with `--ascii` it takes
// no address beyond ASCII.
import { SMTPServer } from 'smtp-server';

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  hideSMTPUTF8: process.argv.includes('--ascii'),
  onRcptTo({ address }, session, done) {
    const error = address.startsWith('gone@') && Object.assign(new Error('no such mailbox'), { responseCode: 550 });
    done(error || undefined);
  },
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
