import { surfaceLocale } from '../../content/customization/language.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { type SurfaceWords, wordsOf } from '../words/all.ts'

/** Returns the words around the texts of a space, in the language of the settings. */
export const surfaceWords = (settings: Settings, language: string | null): SurfaceWords =>
  wordsOf(surfaceLocale(settings, language)).words
