/** Made-up people, companies and places. */

export const givenNames = [
  ...[
    'Ada',
    'Amir',
    'Anna',
    'Ben',
    'Bea',
    'Carla',
    'Chen',
    'Dara',
    'Edith',
    'Elias',
    'Emil',
    'Fatima',
    'Felix',
  ],
  ...[
    'Greta',
    'Hana',
    'Hugo',
    'Ines',
    'Ivan',
    'Jada',
    'Jonas',
    'Kaya',
    'Kofi',
    'Lea',
    'Liam',
    'Lotte',
    'Mara',
  ],
  ...[
    'Milo',
    'Nadia',
    'Noor',
    'Omar',
    'Olga',
    'Pia',
    'Priya',
    'Rafael',
    'Rosa',
    'Samir',
    'Sofia',
    'Theo',
    'Uma',
  ],
  ...['Vera', 'Wanda', 'Yusuf', 'Zoe'],
] as const

export const familyNames = [
  ...[
    'Abara',
    'Alder',
    'Bloom',
    'Brook',
    'Castell',
    'Dahl',
    'Egger',
    'Fern',
    'Finch',
    'Garnet',
    'Hale',
    'Ibsen',
  ],
  ...[
    'Jansen',
    'Keller',
    'Lind',
    'Marsh',
    'Moreau',
    'Nakano',
    'Novak',
    'Okoye',
    'Parra',
    'Quist',
    'Reyes',
    'Rossi',
  ],
  ...['Sato', 'Silva', 'Stone', 'Tamm', 'Urban', 'Vale', 'Weber', 'Winter', 'Yilmaz', 'Zeller'],
] as const

const companyNouns = [
  'Harbour',
  'Hilltop',
  'Riverside',
  'Old Mill',
  'Northgate',
  'Corner',
  'Garden',
  'Station',
] as const
const companyKinds = [
  'Hotel',
  'Café',
  'Studio',
  'Bakery',
  'School',
  'Clinic',
  'Bookshop',
  'Office',
  'Kitchen',
] as const

/** As many names as there are pairs, and then with a number. */
export function companyName(n: number): string {
  const noun = companyNouns[n % companyNouns.length]
  const kind = companyKinds[Math.floor(n / companyNouns.length) % companyKinds.length]
  const round = Math.floor(n / (companyNouns.length * companyKinds.length))
  return `${noun} ${kind}${round > 0 ? ` ${round + 1}` : ''}`
}

interface Place {
  readonly city: string
  readonly region: string
  readonly postcode: string
  readonly country: string
}

const usa: readonly Place[] = [
  { city: 'Portland', region: 'OR', postcode: '97205', country: 'US' },
  { city: 'Boston', region: 'MA', postcode: '02116', country: 'US' },
  { city: 'Austin', region: 'TX', postcode: '78701', country: 'US' },
  { city: 'Chicago', region: 'IL', postcode: '60607', country: 'US' },
]

/** Where buyers live, by the currency in which they pay. */
const places: Readonly<Record<string, readonly Place[]>> = {
  USD: usa,
  EUR: [
    { city: 'Berlin', region: 'Berlin', postcode: '10437', country: 'DE' },
    { city: 'Lyon', region: 'Rhône', postcode: '69002', country: 'FR' },
    { city: 'Porto', region: 'Porto', postcode: '4050-253', country: 'PT' },
    { city: 'Graz', region: 'Styria', postcode: '8010', country: 'AT' },
  ],
  GBP: [
    { city: 'Leeds', region: 'West Yorkshire', postcode: 'LS1 4DY', country: 'GB' },
    { city: 'Cardiff', region: 'South Glamorgan', postcode: 'CF10 1EP', country: 'GB' },
  ],
}

export const placesOf = (currency: string): readonly Place[] => places[currency] ?? usa

export const streets = [
  'Mill Lane',
  'Station Road',
  'High Street',
  'Elm Street',
  'Harbour Street',
  'Park Row',
] as const
