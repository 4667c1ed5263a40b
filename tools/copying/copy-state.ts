import { appendFileSync, closeSync, existsSync, openSync, readFileSync, truncateSync } from 'node:fs'
import { StartupError } from '../../server/platform/faults.ts'

/** An object on both servers, and where it is. */
export interface CopiedObject {
  readonly step: string
  readonly from: string
  readonly to: string
  readonly fromPath: string
  readonly toPath: string
  /** The new server had it already, with another id. */
  readonly isFound?: true
}

interface Beginning {
  readonly from: string
  readonly to: string
  /** The position of the other server's feed before the first object was read, if it has one. */
  readonly position: number | null
}

/**
 * What has been copied, in a local file: a line for each object, written when the object is on the new server. A copy
 * that is started again reads it and goes on.
 */
export class CopyState {
  readonly #file: number
  readonly #steps = new Map<string, Map<string, CopiedObject>>()
  /** The ids that are others on the new server. */
  readonly ids = new Map<string, string>()
  beginning: Beginning | undefined
  position: number | null = null

  constructor(path: string, from: string, to: string) {
    if (existsSync(path)) this.#read(path, from, to)
    this.#file = openSync(path, 'a', 0o600)
  }

  #read(path: string, from: string, to: string): void {
    const text = readFileSync(path, 'utf8')
    // A killed process may have written half of the last line.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole))
    for (const line of whole.split('\n').filter(Boolean)) {
      const entry = JSON.parse(line)
      if (entry.beginning) this.beginning = entry.beginning
      else if (entry.position !== undefined) this.position = entry.position
      else if (entry.removed) this.#forget(entry.removed.step, entry.removed.from)
      else this.#remember(entry)
    }
    const { beginning } = this
    if (beginning && (beginning.from !== from || beginning.to !== to)) {
      throw new StartupError(
        `${path} belongs to a copy from ${beginning.from} to ${beginning.to}: choose another file with --state`,
      )
    }
  }

  #remember(copied: CopiedObject): void {
    const step = this.#steps.get(copied.step) ?? new Map<string, CopiedObject>()
    this.#steps.set(copied.step, step)
    step.set(copied.from, copied)
    if (copied.from !== copied.to) this.ids.set(copied.from, copied.to)
  }

  #forget(step: string, from: string): void {
    this.#steps.get(step)?.delete(from)
    this.ids.delete(from)
  }

  #write(entry: unknown): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`)
  }

  begin(beginning: Beginning): void {
    this.beginning = beginning
    this.#write({ beginning })
  }

  /** The changes of the other server up to this position are on the new one. */
  follow(position: number): void {
    this.position = position
    this.#write({ position })
  }

  add(copied: CopiedObject): void {
    this.#remember(copied)
    this.#write(copied)
  }

  remove(step: string, from: string): void {
    this.#forget(step, from)
    this.#write({ removed: { step, from } })
  }

  find(step: string, from: string): CopiedObject | undefined {
    return this.#steps.get(step)?.get(from)
  }

  all(step: string): readonly CopiedObject[] {
    return [...(this.#steps.get(step)?.values() ?? [])]
  }

  close(): void {
    closeSync(this.#file)
  }
}
