/**
 * A font of most systems, as regular and bold letters: the names of the font, and of others with
 * the same metrics.
 */
const systemFonts = {
  sans: [
    ['Arial', 'Liberation Sans'],
    ['Arial Bold', 'Liberation Sans Bold'],
  ],
  serif: [
    ['Times New Roman', 'Liberation Serif'],
    ['Times New Roman Bold', 'Liberation Serif Bold'],
  ],
  mono: [
    ['Courier New', 'Liberation Mono'],
    ['Courier New Bold', 'Liberation Mono Bold'],
  ],
} as const

/**
 * The font of the system that stands in for a served one, how wide regular and bold text is in the
 * served font, in percent of its width in that of the system, and its ascent and descent in percent
 * of its size. Measured in Chromium with English text.
 */
type Metrics = readonly [
  like: keyof typeof systemFonts,
  regular: number,
  bold: number,
  ascent: number,
  descent: number,
]

const metrics: Readonly<Record<string, Metrics>> = {
  Inter: ['sans', 105.7, 100.5, 97, 24],
  Roboto: ['sans', 98.6, 93.5, 93, 24],
  RobotoSlab: ['serif', 115, 109.5, 105, 27],
  OpenSans: ['sans', 103.2, 102.9, 107, 29],
  SourceSansPro: ['sans', 90.8, 89.4, 102, 40],
  Lato: ['sans', 94.1, 90, 99, 21],
  Raleway: ['sans', 102.2, 98.4, 94, 23],
  Merriweather: ['serif', 116.1, 112.6, 98, 27],
  Overpass: ['sans', 98.1, 96.2, 88, 38],
  NotoSans: ['sans', 103.9, 102.7, 107, 29],
  IBMPlexSerif: ['serif', 114, 112.4, 103, 28],
  Poppins: ['sans', 110.1, 104.3, 105, 35],
  FiraSans: ['sans', 100.4, 93.5, 94, 27],
  FiraCode: ['mono', 100, 100, 99, 32],
  IBMPlexMono: ['mono', 100, 100, 103, 28],
  JetBrainsMono: ['mono', 100, 100, 102, 30],
  SourceCodePro: ['mono', 100, 100, 98, 27],
  RobotoMono: ['mono', 100, 100, 105, 27],
  SpaceMono: ['mono', 102, 102, 112, 36],
  DMMono: ['mono', 100, 100, 99, 31],
  Inconsolata: ['mono', 83.3, 83.3, 86, 19],
}

/**
 * Returns the rules of the family "<family> fallback": a font of the system with the metrics of the
 * served one, in which the text stands until that has arrived, so that its lines do not move then.
 */
export function fallbackRules(font: string, family: string): string[] {
  const known = metrics[font]
  if (!known) return []
  const [like, regular, bold, ascent, descent] = known
  const rule = (weights: string, names: readonly string[], width: number): string => {
    const percent = (value: number): string => `${Math.round((value / width) * 10_000) / 100}%`
    const sources = names.map(name => `local("${name}")`).join(',')
    return `@font-face{font-family:"${family} fallback";font-weight:${weights};src:${sources};size-adjust:${width}%;ascent-override:${percent(ascent)};descent-override:${percent(descent)};line-gap-override:0%}`
  }
  const [upright, strong] = systemFonts[like]

  return [rule('1 500', upright, regular), rule('501 1000', strong, bold)]
}
