import { createTransport } from 'nodemailer'

/** Sends mail; a failure is thrown, for the job that sends to be run again. */
export interface Mailer {
  send(to: string, subject: string, text: string): Promise<void>
}

const timeoutMs = 15_000

/** Mail through a server that speaks SMTP (RFC 5321). */
export function smtp(url: string, from: string): Mailer {
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs }
  const transport = createTransport({ url, ...timeouts }, { from })
  return {
    async send(to, subject, text) {
      // An address in a form of its own: none of it is read as a second address.
      await transport.sendMail({ to: { name: '', address: to }, subject, text })
    },
  }
}
