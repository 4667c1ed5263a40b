/** How PostgreSQL stores values of a type, and by which number it knows the type. */
interface BinaryType<V> {
  readonly oid: number
  /** At least as many bytes as `write` writes. */
  bytesMax(value: V): number
  /** Returns the number of bytes. */
  write(to: Buffer, at: number, value: V): number
}

/** UTF-8 has at most three bytes for a unit of UTF-16. */
const utf8 = (oid: number): BinaryType<string> => ({
  oid,
  bytesMax: (text) => text.length * 3,
  write: (to, at, text) => to.write(text, at),
})

const fixed = <V>(oid: number, bytes: number, write: (to: Buffer, at: number, value: V) => void) => ({
  oid,
  bytesMax: () => bytes,
  write: (to: Buffer, at: number, value: V) => {
    write(to, at, value)
    return bytes
  },
})

/** PostgreSQL counts microseconds from here. */
const epochMs = Date.UTC(2000, 0, 1)
const openEnds: Readonly<Record<string, bigint>> = {
  infinity: 0x7fff_ffff_ffff_ffffn,
  '-infinity': -0x8000_0000_0000_0000n,
}

function writeTime(to: Buffer, at: number, time: string): void {
  const openEnd = openEnds[time]
  const ms = Date.parse(time) - epochMs
  if (openEnd === undefined && Number.isSafeInteger(ms * 1000)) writeInteger(to, at, ms * 1000)
  else to.writeBigInt64BE(openEnd ?? BigInt(ms) * 1000n, at)
}

/** In two halves: a bigint is an object of its own. */
function writeInteger(to: Buffer, at: number, value: number): void {
  to.writeInt32BE(Math.floor(value / 0x1_0000_0000), at)
  to.writeUInt32BE(value >>> 0, at + 4)
}

function writeId(to: Buffer, at: number, id: string): void {
  if (to.write(id.replaceAll('-', ''), at, 'hex') !== 16) throw new TypeError(`${id} is not a UUID`)
}

const types = {
  bool: fixed<boolean>(16, 1, (to, at, value) => to.writeUInt8(value ? 1 : 0, at)),
  int4: fixed<number>(23, 4, (to, at, value) => to.writeInt32BE(value, at)),
  int8: fixed<number>(20, 8, writeInteger),
  json: utf8(114),
  text: utf8(25),
  /** ISO timestamps to the millisecond, `infinity` and `-infinity`. */
  timestamptz: fixed<string>(1184, 8, writeTime),
  uuid: fixed<string>(2950, 16, writeId),
} as const satisfies Record<string, BinaryType<never>>

type TypeName = keyof typeof types
type ArrayValue<T extends TypeName> =
  | ((typeof types)[T] extends BinaryType<infer V> ? V : never)
  | null
  | undefined

const headBytes = 20
const lengthBytes = 4
const firstBytes = 1024

/**
 * An array as PostgreSQL stores one. In a literal each quote of each text is escaped, and each character is read by
 * itself: for documents that takes longer than to store them. A value is written when it is added, so that the garbage
 * collector need not keep many of them.
 */
export class BinaryArray<T extends TypeName> {
  readonly #type: BinaryType<unknown>
  #bytes = Buffer.allocUnsafe(firstBytes)
  #end = headBytes
  #count = 0
  #hasNulls = false

  get count(): number {
    return this.#count
  }

  constructor(type: T) {
    this.#type = types[type] as BinaryType<unknown>
  }

  add(value: ArrayValue<T>): void {
    this.#count += 1
    if (value == null) {
      this.#hasNulls = true
      this.#reserve(lengthBytes)
      this.#end = this.#bytes.writeInt32BE(-1, this.#end)
      return
    }
    this.#reserve(lengthBytes + this.#type.bytesMax(value))
    const bytes = this.#type.write(this.#bytes, this.#end + lengthBytes, value)
    this.#end = this.#bytes.writeInt32BE(bytes, this.#end) + bytes
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#end + bytes, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }

  /** For a parameter of a statement. */
  toBuffer(): Buffer {
    const head = [this.#count ? 1 : 0, this.#hasNulls ? 1 : 0, this.#type.oid, this.#count, 1]
    // An array without elements has no dimension, and so neither its length nor its first index.
    const whole = this.#count ? head : head.slice(0, 3)
    for (const [i, number] of whole.entries()) this.#bytes.writeInt32BE(number, i * 4)
    return this.#bytes.subarray(0, this.#count ? this.#end : whole.length * 4)
  }
}

export function binaryArray<T extends TypeName>(type: T, values: Iterable<ArrayValue<T>>): Buffer {
  const array = new BinaryArray(type)
  for (const value of values) array.add(value)
  return array.toBuffer()
}
