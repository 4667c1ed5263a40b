import { open } from '../api/client.ts'
import { type ExportedList, exportPath } from './export.ts'
import { mediaTypes } from './lines.ts'

/** The ids of everything that a list shows, of one moment. */
export async function allIds(list: Omit<ExportedList, 'format'>): Promise<readonly string[]> {
  const path = exportPath({ ...list, format: 'ndjson' })
  const response = await open({ path, headers: { accept: mediaTypes.ndjson } })
  const text = await response.text()
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => String((JSON.parse(line) as { readonly id: unknown }).id))
}
