import { open, seal } from '../kernel/auth/seal.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { record } from '../kernel/feed/record.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import type { Job } from '../kernel/work/job.ts'

/** Someone with an address, as a user or a customer is. */
interface Person extends Pick<Row, 'id'> {
  readonly doc: { readonly name: string; readonly email: string }
}

/**
 * Tells a person's old address that they have a new one: if it was not them, it is the only place where they would
 * learn of it. By mail where there is mail; and by an event, for whoever sends it otherwise.
 */
export async function tellOfEmailChange(
  work: Work,
  { type }: Pick<Resource, 'type'>,
  { id, doc: { name, email } }: Person,
  before: Person,
): Promise<void> {
  const time = work.clock.now().toISOString().replace('Z', '+00:00')
  const previous_email = before.doc.email
  const doc = { [type]: { id, name, email }, previous_email, created_at: time, updated_at: time }
  const told = 'email-change'
  await record(work, { event: `${told}.created`, type: told, scope: id, personal: true, doc })
  if (!work.instance.mail) return
  await work.later(mailEmailChange, { sealedTo: seal(work.instance.sealKeys, previous_email) })
}

/** Mails the old address. The queue does not hold it in the clear. Run twice, it sends the same letter twice. */
export const mailEmailChange: Job<{ readonly sealedTo: string }> = {
  name: 'identity:mail-email-change',
  attemptsMax: 4,
  run: async ({ store, instance: { mail, sealKeys } }, { sealedTo }) => {
    if (!mail) return
    const [row] = await store.rows('SELECT name FROM stores WHERE id = $1')
    const shop = row?.[0] as string
    const lines = [
      `The email address of your account at ${shop} was changed. It is no longer this address.`,
      '',
      `If you did not request this change, contact ${shop} at once.`,
    ]
    await mail.send(open(sealKeys, sealedTo), `Your email address at ${shop}`, lines.join('\n'))
  },
}
