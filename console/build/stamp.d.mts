export const stampFile: string
export function stampOf(): string
export function isBuilt(): boolean
