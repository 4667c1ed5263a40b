/** What the shop sells: departments, the shelves in them, and the kinds of wares on these. */

const shapes = [
  ...['mug', 'bottle', 'pan', 'lamp', 'chair', 'cushion', 'shirt', 'cap', 'bag', 'book'],
  ...['pencil', 'plant', 'ball', 'box', 'tool', 'clock'],
] as const
export type PictureShape = (typeof shapes)[number]

export interface Ware {
  readonly name: string
  readonly shape: PictureShape
  /** The usual price in dollars. */
  readonly price: number
  /** What it can be chosen in: its children are made of these. */
  readonly options?: 'sizes' | 'colours' | 'both'
}

interface ShelfOfWares {
  readonly name: string
  readonly wares: readonly Ware[]
}

interface Department {
  readonly name: string
  readonly shelves: readonly ShelfOfWares[]
}

const ware = (name: string, shape: PictureShape, price: number, options?: Ware['options']): Ware => ({
  ...{ name, shape, price },
  ...(options && { options }),
})

export const departments: readonly Department[] = [
  {
    name: 'Kitchen',
    shelves: [
      {
        name: 'Cups and glasses',
        wares: [
          ware('Mug', 'mug', 14, 'colours'),
          ware('Espresso cup', 'mug', 9),
          ware('Carafe', 'bottle', 28),
        ],
      },
      {
        name: 'Cooking',
        wares: [
          ...[ware('Frying pan', 'pan', 49), ware('Saucepan', 'pan', 44), ware('Wok', 'pan', 59)],
          ...[ware('Apron', 'shirt', 24, 'sizes'), ware('Storage jar', 'bottle', 12)],
        ],
      },
    ],
  },
  {
    name: 'Home',
    shelves: [
      { name: 'Light', wares: [ware('Desk lamp', 'lamp', 79, 'colours'), ware('Floor lamp', 'lamp', 149)] },
      {
        name: 'Furniture',
        wares: [ware('Chair', 'chair', 119), ware('Stool', 'chair', 64), ware('Wall clock', 'clock', 39)],
      },
      {
        name: 'Textiles',
        wares: [ware('Cushion', 'cushion', 27, 'colours'), ware('Blanket', 'cushion', 69, 'colours')],
      },
    ],
  },
  {
    name: 'Clothing',
    shelves: [
      {
        name: 'Tops',
        wares: [
          ware('T-shirt', 'shirt', 22, 'both'),
          ware('Sweater', 'shirt', 58, 'sizes'),
          ware('Shirt', 'shirt', 46, 'sizes'),
        ],
      },
      { name: 'Extras', wares: [ware('Cap', 'cap', 19, 'colours'), ware('Tote bag', 'bag', 15, 'colours')] },
    ],
  },
  {
    name: 'Garden',
    shelves: [
      {
        name: 'Plants',
        wares: [ware('Fern', 'plant', 18), ware('Olive tree', 'plant', 54), ware('Herb pot', 'plant', 8)],
      },
      {
        name: 'Tools',
        wares: [ware('Trowel', 'tool', 13), ware('Rake', 'tool', 21), ware('Watering can', 'bottle', 26)],
      },
    ],
  },
  {
    name: 'Office',
    shelves: [
      {
        name: 'Paper',
        wares: [
          ware('Notebook', 'book', 11, 'colours'),
          ware('Diary', 'book', 17),
          ware('Sketchbook', 'book', 16),
        ],
      },
      {
        name: 'Desk',
        wares: [ware('Pencil set', 'pencil', 12), ware('Pen', 'pencil', 7), ware('Letter tray', 'box', 23)],
      },
    ],
  },
  {
    name: 'Play',
    shelves: [
      {
        name: 'Games',
        wares: [ware('Puzzle', 'box', 25), ware('Card game', 'box', 13), ware('Board game', 'box', 42)],
      },
      {
        name: 'Outdoors',
        wares: [
          ware('Football', 'ball', 29),
          ware('Beach ball', 'ball', 9),
          ware('Backpack', 'bag', 74, 'colours'),
        ],
      },
    ],
  },
]

/** Each series has one ware of a kind. */
export const series = [
  ...[
    'Alba',
    'Birch',
    'Cove',
    'Dune',
    'Ember',
    'Fjord',
    'Grove',
    'Haven',
    'Iris',
    'Juniper',
    'Kite',
    'Linden',
  ],
  ...[
    'Maple',
    'North',
    'Opal',
    'Pine',
    'Quarry',
    'Reed',
    'Sage',
    'Tide',
    'Umber',
    'Vista',
    'Willow',
    'Yarrow',
  ],
] as const

export const sizes = ['S', 'M', 'L'] as const

/** Names of colours and the colours themselves, as red, green and blue. */
export const colours = {
  Clay: [188, 104, 78],
  Moss: [104, 128, 84],
  Ink: [52, 72, 112],
  Sand: [212, 178, 128],
  Plum: [126, 78, 118],
  Sky: [110, 164, 196],
} as const satisfies Readonly<Record<string, readonly [number, number, number]>>

export type Colour = keyof typeof colours
export const colourNames = Object.keys(colours) as readonly Colour[]
/** The colours in which wares can be chosen. */
export const chosenColours: readonly Colour[] = ['Clay', 'Moss', 'Ink']
