import { randomUUID } from 'node:crypto'
import { EventContent, type TargetMessage } from '../../../server/telling/targets/message.ts'

const paid = {
  data: { type: 'order', id: 'o1', name: 'Ünïcode \u0001 "quoted"' },
  included: { items: [{ id: 'i1' }] },
}

/** A payload, in all its forms. */
export const shows = (payload: object, short: object = payload, isDeletion = false) => ({
  content: new EventContent(
    JSON.stringify(payload),
    { whole: JSON.stringify(payload), short: JSON.stringify(short) },
    isDeletion,
  ),
})

/** An event of an order, as it is sent. */
export const messageOf = (changes: Partial<TargetMessage> = {}): TargetMessage => ({
  eventId: randomUUID(),
  key: 'order.paid',
  subject: `orders:${randomUUID()}`,
  attempt: 1,
  at: new Date(),
  integration: {
    id: '9c1b1a5e-0000-4000-8000-000000000001',
    ...{ integration_type: 'webhook', name: 'ERP', description: '' },
  },
  ...shows(paid),
  storeId: '9c1b1a5e-0000-4000-8000-000000000002',
  organisationId: '9c1b1a5e-0000-4000-8000-000000000003',
  source: 'https://shop.example.com',
  ...changes,
})
