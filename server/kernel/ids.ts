import { v7 } from 'uuid'

/** A new id: UUIDv7 (RFC 9562), so ids sort by creation and a walk by id meets newcomers last. */
export const newId = (): string => v7()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Any UUID, of whatever version: clients of other servers bring their own. */
export const isId = (text: string): boolean => uuid.test(text)
