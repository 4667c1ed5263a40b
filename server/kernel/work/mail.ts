import type { Transporter } from 'nodemailer'

/** Sends mail. It throws on failure, so that the job that sends the mail is retried. */
export interface Mailer {
  send(to: string, subject: string, text: string): Promise<void>
}

/** How long the mail server may take: for its next word, and for one mail, however slowly it speaks. */
const usualLimits = { wordMs: 15_000, mailMs: 60_000 }

/** Mail through a server that speaks SMTP (RFC 5321). */
export function smtp(url: string, from: string, { wordMs, mailMs } = usualLimits): Mailer {
  const timeouts = { connectionTimeout: wordMs, greetingTimeout: wordMs, socketTimeout: wordMs }
  let opened: Promise<Transporter> | undefined
  const open = async () => {
    // Loaded for the first mail: most processes send none.
    const { createTransport } = await import('nodemailer')
    return createTransport({ url, ...timeouts }, { from })
  }
  return {
    async send(to, subject, text) {
      opened ??= open()
      const transport = await opened
      // An object instead of a string, so that the address cannot contain a second one.
      const recipient = { name: '', address: to }
      await transport.sendMail({ to: recipient, subject, text, signal: AbortSignal.timeout(mailMs) })
    },
  }
}
