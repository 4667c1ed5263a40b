import { useState } from 'react'
import { keepPreference, keptPreference } from '../api/preferences.ts'

export const densities = ['roomy', 'dense'] as const

export type Density = (typeof densities)[number]

/** How high the rows of all lists are, as this person has chosen. */
export function useDensity(): readonly [Density, (density: Density) => void] {
  const [density, setDensity] = useState<Density>(keptPreference('density') === 'dense' ? 'dense' : 'roomy')
  return [
    density,
    (next) => {
      keepPreference('density', next === 'roomy' ? undefined : next)
      setDensity(next)
    },
  ]
}
