import { randomUUID } from 'node:crypto'
import { beginSession } from '../../../server/people/colleagues/colleague-sessions.ts'
import type { ModuleSamples } from '../../support/module-samples.ts'
import { body, idOf } from '../../support/requests.ts'
import { addColleague, assignment, colleaguePassword, roleId } from './colleagues.ts'

export const colleagues: ModuleSamples = {
  parameters: {
    'colleague-invitations': (client) =>
      idOf(
        client.post(
          '/v2/colleague-invitations',
          body('colleague_invitation', { name: 'Bob', email: `${randomUUID()}@example.com`, role: 'basic' }),
        ),
      ),
    'colleague-sessions': async (client, { work }) => {
      const { userId } = await addColleague(client, 'Support')
      const device = { device: 'a browser', address: '127.0.0.1' }
      return (await beginSession(work.actingAs(userId), { userId, tokenEpoch: 1 }, device)).sessionId
    },
  },
  completions: {
    'role-assignment': async (client) => {
      const { userId } = await addColleague(client)
      return assignment(userId, await roleId(client, 'Support')).data
    },
  },
  // The user of an assignment stays.
  notInUpdates: ['role-assignment.relationships'],
  bodies: {
    'create-colleague-token': async (client, { work }) => {
      const { email } = await addColleague(client, 'Support')
      const credentials = {
        authentication_mechanism: 'password',
        username: email,
        password: colleaguePassword,
      }
      return { data: { type: 'colleague_token', store: work.store.id, ...credentials } }
    },
  },
}
