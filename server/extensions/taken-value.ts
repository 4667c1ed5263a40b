import { Problem } from '../kernel/errors.ts'
import { brokenConstraint } from '../kernel/storage/database.ts'
import type { Definition } from './definition.ts'

/** Runs a write. If a unique value is taken, the refusal names the field. */
export async function namingTheField<T>(api: Definition, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof Problem) || brokenConstraint(error.cause) !== 'entry_values_unique') throw error
    // PostgreSQL reports the key, which contains the id of the field.
    const { detail = '' } = error.cause as { detail?: string }
    const field = api.fields.find(({ id }) => detail.includes(id))
    if (!field) throw error
    throw new Problem('conflict', `${api.apiType} with the given ${field.slug} already exists`, {
      source: `data.${field.slug}`,
      cause: error.cause,
    })
  }
}
