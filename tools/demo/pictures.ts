import { crc32, deflateSync } from 'node:zlib'
import { Memory } from '../../server/kernel/memory.ts'
import { type Colour, colours, type PictureShape } from './wares.ts'

/** Pictures of wares, drawn by these functions: simple shapes on a plain ground, as PNG. */

type Rgb = readonly [number, number, number]

/** Whether a point is inside a part of a picture; both go from 0 to 1. */
type DrawnPart = (x: number, y: number) => boolean

const circle =
  (cx: number, cy: number, r: number): DrawnPart =>
  (x, y) =>
    (x - cx) ** 2 + (y - cy) ** 2 < r * r

const ring =
  (cx: number, cy: number, r: number, width: number): DrawnPart =>
  (x, y) =>
    Math.abs(Math.hypot(x - cx, y - cy) - r) < width / 2

const both =
  (one: DrawnPart, other: DrawnPart): DrawnPart =>
  (x, y) =>
    one(x, y) && other(x, y)

/** A rectangle with round corners. */
const block =
  (left: number, top: number, right: number, bottom: number, round = 0.02): DrawnPart =>
  (x, y) => {
    const dx = Math.max(left + round - x, x - right + round, 0)
    const dy = Math.max(top + round - y, y - bottom + round, 0)
    return x > left && x < right && y > top && y < bottom && dx * dx + dy * dy <= round * round
  }

/** What is on one side of all edges of a convex polygon, whose corners go clockwise. */
const polygon =
  (...corners: readonly (readonly [number, number])[]): DrawnPart =>
  (x, y) =>
    corners.every(([ax, ay], i) => {
      const [bx, by] = corners[(i + 1) % corners.length] as readonly [number, number]
      return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
    })

const line =
  (ax: number, ay: number, bx: number, by: number, width: number): DrawnPart =>
  (x, y) => {
    const [dx, dy] = [bx - ax, by - ay]
    const along = Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0), 1)
    return Math.hypot(x - ax - along * dx, y - ay - along * dy) < width / 2
  }

/** The parts of each shape, the last on top, and how light they are: 0 is the colour itself. */
const drawings: Readonly<Record<PictureShape, readonly (readonly [DrawnPart, light: number])[]>> = {
  mug: [
    [ring(0.68, 0.5, 0.12, 0.06), -0.2],
    [block(0.28, 0.3, 0.66, 0.74, 0.06), 0],
    [block(0.28, 0.3, 0.66, 0.36, 0.03), 0.4],
  ],
  bottle: [
    [block(0.44, 0.14, 0.56, 0.4), -0.2],
    [block(0.34, 0.34, 0.66, 0.84, 0.08), 0],
    [block(0.34, 0.52, 0.66, 0.68, 0), 0.5],
  ],
  pan: [
    [line(0.6, 0.4, 0.9, 0.2, 0.06), -0.4],
    [circle(0.42, 0.56, 0.28), 0],
    [circle(0.42, 0.56, 0.22), -0.25],
  ],
  lamp: [
    [block(0.34, 0.8, 0.66, 0.85), -0.3],
    [line(0.5, 0.45, 0.5, 0.82, 0.03), -0.3],
    [polygon([0.38, 0.18], [0.62, 0.18], [0.76, 0.5], [0.24, 0.5]), 0.1],
  ],
  chair: [
    [line(0.34, 0.56, 0.3, 0.86, 0.04), -0.3],
    [line(0.66, 0.56, 0.7, 0.86, 0.04), -0.3],
    [block(0.34, 0.14, 0.66, 0.48, 0.05), 0.15],
    [block(0.3, 0.5, 0.7, 0.6, 0.03), 0],
  ],
  cushion: [
    [block(0.22, 0.26, 0.78, 0.76, 0.14), 0],
    [line(0.3, 0.36, 0.7, 0.66, 0.015), 0.4],
    [line(0.7, 0.36, 0.3, 0.66, 0.015), 0.4],
    [circle(0.5, 0.51, 0.03), -0.3],
  ],
  shirt: [
    [polygon([0.36, 0.22], [0.36, 0.42], [0.22, 0.52], [0.14, 0.38]), -0.12],
    [polygon([0.64, 0.22], [0.86, 0.38], [0.78, 0.52], [0.64, 0.42]), -0.12],
    [block(0.34, 0.22, 0.66, 0.8, 0.03), 0],
    [circle(0.5, 0.22, 0.09), 0.6],
  ],
  cap: [
    [both(circle(0.46, 0.56, 0.25), block(0.2, 0.2, 0.72, 0.57, 0)), 0],
    [block(0.42, 0.55, 0.86, 0.62, 0.03), -0.25],
    [circle(0.46, 0.31, 0.025), -0.25],
  ],
  bag: [
    [ring(0.5, 0.34, 0.14, 0.04), -0.3],
    [block(0.26, 0.36, 0.74, 0.82, 0.04), 0],
    [block(0.36, 0.52, 0.64, 0.68, 0.03), 0.3],
  ],
  book: [
    [block(0.28, 0.18, 0.74, 0.82, 0.03), 0],
    [block(0.28, 0.18, 0.34, 0.82, 0.02), -0.3],
    [block(0.44, 0.3, 0.66, 0.38, 0.01), 0.6],
  ],
  pencil: [
    [line(0.3, 0.72, 0.66, 0.26, 0.09), 0],
    [line(0.44, 0.78, 0.8, 0.32, 0.09), -0.2],
    [circle(0.3, 0.72, 0.045), 0.6],
    [circle(0.44, 0.78, 0.045), 0.6],
  ],
  plant: [
    [line(0.5, 0.62, 0.32, 0.28, 0.12), -0.1],
    [line(0.5, 0.62, 0.68, 0.28, 0.12), 0.1],
    [line(0.5, 0.62, 0.5, 0.2, 0.13), 0],
    [polygon([0.34, 0.6], [0.66, 0.6], [0.6, 0.84], [0.4, 0.84]), -0.4],
  ],
  ball: [
    [circle(0.5, 0.5, 0.3), 0],
    [both(circle(0.5, 0.5, 0.3), ring(0.24, 0.5, 0.28, 0.03)), 0.5],
    [both(circle(0.5, 0.5, 0.3), ring(0.76, 0.5, 0.28, 0.03)), 0.5],
  ],
  box: [
    [block(0.2, 0.34, 0.8, 0.78, 0.03), 0],
    [block(0.16, 0.26, 0.84, 0.42, 0.03), 0.2],
    [block(0.46, 0.26, 0.54, 0.78, 0), 0.6],
  ],
  tool: [
    [line(0.7, 0.16, 0.5, 0.5, 0.07), -0.35],
    [polygon([0.42, 0.42], [0.6, 0.52], [0.42, 0.84], [0.28, 0.72]), 0],
  ],
  clock: [
    [circle(0.5, 0.5, 0.32), 0],
    [circle(0.5, 0.5, 0.27), 0.8],
    [line(0.5, 0.5, 0.5, 0.3, 0.025), -0.4],
    [line(0.5, 0.5, 0.64, 0.58, 0.025), -0.4],
  ],
}

const ground: Rgb = [244, 240, 233]
const pixels = 256
/** Where the points of a pixel on an edge are, in each direction: their mean makes edges smooth. */
const points = [0.17, 0.5, 0.83] as const

/** Lighter towards the ground, or darker below 0. */
const shade = (colour: Rgb, light: number): Rgb => {
  const aim: Rgb = light < 0 ? [20, 20, 24] : ground
  const mix = (i: 0 | 1 | 2) => Math.round(colour[i] + (aim[i] - colour[i]) * Math.abs(light))
  return [mix(0), mix(1), mix(2)]
}

/** Which part of a shape each pixel is of, and each point of a pixel on an edge. */
interface Layout {
  readonly lights: readonly number[]
  readonly parts: Uint8Array
  readonly edges: ReadonlyMap<number, readonly number[]>
}

const layouts = new Memory<PictureShape, Layout>(Object.keys(drawings).length)

/** The same for all colours, and most of the work. */
function layoutOf(shape: PictureShape): Layout {
  const known = layouts.get(shape)
  if (known) return known
  const disc = [circle(0.5, 0.5, 0.44), 0.82] as const
  const everywhere = [() => true, 1] as const
  const drawn = [everywhere, disc, ...drawings[shape]].toReversed()
  const partAt = (x: number, y: number) => drawn.findIndex(([part]) => part(x / pixels, y / pixels))
  const parts = new Uint8Array(pixels * pixels)
  for (let i = 0; i < parts.length; i++) parts[i] = partAt((i % pixels) + 0.5, Math.floor(i / pixels) + 0.5)
  const isSame = (one: number, other: number) => parts[other] === undefined || parts[one] === parts[other]
  const isFlat = (i: number) =>
    isSame(i, i - 1) && isSame(i, i + 1) && isSame(i, i - pixels) && isSame(i, i + pixels)
  const edges = new Map<number, readonly number[]>()
  for (let i = 0; i < parts.length; i++) {
    if (isFlat(i)) continue
    const [x, y] = [i % pixels, Math.floor(i / pixels)]
    const near = points.flatMap((dy) => points.map((dx) => partAt(x + dx, y + dy)))
    edges.set(i, near)
  }
  const layout = { lights: drawn.map(([, light]) => light), parts, edges }
  layouts.set(shape, layout)
  return layout
}

/** A picture of a ware in a colour. */
export function drawWare(shape: PictureShape, colour: Colour): Buffer {
  const { lights, parts, edges } = layoutOf(shape)
  const shades = lights.map((light) => shade(colours[colour], light))
  const meanOf = (near: readonly number[]): Rgb => {
    const mean = (i: 0 | 1 | 2) =>
      Math.round(near.reduce((sum, part) => sum + (shades[part] as Rgb)[i], 0) / near.length)
    return [mean(0), mean(1), mean(2)]
  }
  // The first byte of a row says that it is not filtered.
  const rows = Buffer.alloc(pixels * (1 + pixels * 3))
  for (let i = 0; i < parts.length; i++) {
    const near = edges.get(i)
    const rgb = near ? meanOf(near) : (shades[parts[i] as number] as Rgb)
    rows.set(rgb, Math.floor(i / pixels) * (1 + pixels * 3) + 1 + (i % pixels) * 3)
  }
  return png(rows)
}

function png(rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(pixels, 0)
  header.writeUInt32BE(pixels, 4)
  // Eight bits each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))],
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}
