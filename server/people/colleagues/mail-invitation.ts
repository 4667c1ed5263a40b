import { open, seal } from '../../kernel/auth/seal.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Job } from '../../kernel/work/job.ts'
import { invitations } from './invitations.ts'

/** The queue contains neither the link nor the address in the clear. */
interface InvitationMail {
  readonly invitationId: string
  readonly sealedLink: string
}

/** Queues the mail with the link. */
export const sendInvitation = (work: Work, invitationId: string, link: string): Promise<void> =>
  work.later(mailInvitation, { invitationId, sealedLink: seal(work.instance.sealKeys, link) })

/** Mails an invitation, unless it was used, revoked or replaced meanwhile. If it runs twice, it sends the same link. */
export const mailInvitation: Job<InvitationMail> = {
  name: 'colleagues:mail-invitation',
  attemptsMax: 4,
  callsOut: () => 'mail',
  run: async ({ store, clock, instance: { mail, sealKeys } }, { invitationId, sealedLink }) => {
    const invitation = await store.find(invitations, invitationId)
    if (!mail || !invitation || clock.now().getTime() >= Date.parse(invitation.doc.expires_at ?? '')) return
    const [row] = await store.run('SELECT name FROM stores WHERE id = $1')
    const shop = row?.[0] ?? ''
    const lines = [
      `You have been invited to work in ${shop}. This link lets you choose a password and sign in:`,
      '',
      open(sealKeys, sealedLink),
      '',
      'It works once, within three days. If you do not expect this message, you can ignore it.',
    ]
    await mail.send(invitation.doc.email ?? '', `Your invitation to ${shop}`, lines.join('\n'))
  },
}
