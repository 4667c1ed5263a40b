import { open, seal } from '../../kernel/auth/seal.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { record } from '../../kernel/feed/record.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Job } from '../../kernel/work/job.ts'
import { storeName } from '../../store/index.ts'

/** A user or a customer. */
interface EmailOwner extends Pick<Row, 'id'> {
  readonly doc: { readonly name: string; readonly email: string }
}

/**
 * Announces a new email address to the old one, by an event and, if the server sends mail, by mail. Otherwise a person
 * whose address someone else has changed would not learn of it.
 */
export async function announceEmailChange(
  work: Work,
  { type }: Pick<Resource, 'type'>,
  { id, doc: { name, email } }: EmailOwner,
  before: EmailOwner,
): Promise<void> {
  const time = work.clock.now().toISOString().replace('Z', '+00:00')
  const previous_email = before.doc.email
  const doc = { [type]: { id, name, email }, previous_email, created_at: time, updated_at: time }
  const eventType = 'email-change'
  await record(work, { event: `${eventType}.created`, type: eventType, scope: id, personal: true, doc })
  if (!work.instance.mail) return
  await work.later(mailEmailChange, { sealedTo: seal(work.instance.sealKeys, previous_email) })
}

/** Sends mail to the old address, which is sealed in the queue. If it runs twice, it sends the same mail twice. */
export const mailEmailChange: Job<{ readonly sealedTo: string }> = {
  name: 'identity:mail-email-change',
  // For three and a half hours: it is a warning, and worth as much when it comes late.
  attemptsMax: 10,
  callsOut: () => 'mail',
  run: async (work, { sealedTo }) => {
    const { mail, sealKeys } = work.instance
    if (!mail) return
    const shop = await storeName(work)
    const lines = [
      `The email address of your account at ${shop} was changed. It is no longer this address.`,
      '',
      `If you did not request this change, contact ${shop} at once.`,
    ]
    await mail.send(open(sealKeys, sealedTo), `Your email address at ${shop}`, lines.join('\n'))
  },
}
