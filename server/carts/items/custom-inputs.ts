import { isSeller } from '../../kernel/auth/principal.ts'
import { Problem } from '../../kernel/errors.ts'
import { field } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'

type Inputs = Readonly<Record<string, unknown>>

/** The characters of one text, the characters of all inputs of an item as JSON, and their bytes by a shopper. */
const limits = { text: 255, all: 1_000_000, shopperBytes: 32_768 } as const

const shown = (n: number): string => n.toLocaleString('en-US')

export const customInputsField = field<Inputs | undefined>(
  { type: 'object', maxProperties: 100, additionalProperties: true },
  {
    about: `What the shopper tells about the item, such as an engraving. Each text has at most ${limits.text} characters, and all inputs of an item together ${shown(limits.shopperBytes)} bytes of JSON (from sellers: ${shown(limits.all)} characters).`,
  },
)

/** Refuses inputs that are too long. */
export function checkedInputs(inputs: Inputs | undefined, source: string): Inputs | undefined {
  if (!inputs) return undefined
  for (const [name, value] of Object.entries(inputs)) {
    if (typeof value !== 'string' || value.length <= limits.text) continue
    throw tooLong(`${at(source)}.${name}`, `${limits.text} characters, not ${value.length}`)
  }
  if (JSON.stringify(inputs).length <= limits.all) return inputs
  throw tooLong(at(source), `${limits.all} characters of JSON`)
}

/** Refuses inputs of a shopper that are too large. */
export function checkInputBytes(work: Work, values: object, source: string): void {
  const { custom_inputs: inputs } = values as { readonly custom_inputs?: Inputs | undefined }
  if (!inputs || isSeller(work.who)) return
  const bytes = Buffer.byteLength(JSON.stringify(inputs))
  if (bytes > limits.shopperBytes)
    throw tooLong(at(source), `${limits.shopperBytes} bytes of JSON, not ${bytes}`)
}

const at = (source: string): string => `${source}.custom_inputs`

const tooLong = (source: string, most: string): Problem =>
  new Problem('invalid_field', `${source} must have at most ${most}.`, { source })
