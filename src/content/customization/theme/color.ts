/**
 * A color as lightness (0 to 1), chroma (0 to about 0.37) and hue (0 to 360 degrees) of the space
 * OKLCH.
 */
type Oklch = { l: number; c: number; h: number }

/** A color as lightness and two axes, in OKLab. */
type Oklab = { l: number; a: number; b: number }

/** The linear light of red, green and blue; 0 to 1 for what a screen shows. */
type Light = readonly [red: number, green: number, blue: number]

/** Returns a color of 3 or 6 hex digits, such as "#36d", in OKLCH. The hue of a grey is 0. */
export function oklchOf(hex: string): Oklch {
  const { l, a, b } = oklabOf(lightOf(hex))
  const c = Math.hypot(a, b)
  return c < 1e-4
    ? { l, c: 0, h: 0 }
    : { l, c, h: ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360 }
}

/**
 * Returns a color as 6 hex digits, such as "#346ddb". A color that screens do not show loses
 * chroma, and keeps its lightness and its hue.
 */
export function hexOf({ l, c, h }: Oklch): string {
  const angle = (h * Math.PI) / 180
  const within = Math.min(1, Math.max(0, l))
  const withChroma = (chroma: number): Light =>
    lightFrom({ l: within, a: chroma * Math.cos(angle), b: chroma * Math.sin(angle) })
  if (isShown(withChroma(c))) return hexFrom(withChroma(c))

  let [least, most] = [0, c]

  for (let step = 0; step < 16; step++) {
    const middle = (least + most) / 2
    if (isShown(withChroma(middle))) least = middle
    else most = middle
  }

  return hexFrom(withChroma(least))
}

/**
 * Returns the mixture of two colors, both as hex digits, in OKLab: `share` (0 to 1) of the first,
 * the rest of the second.
 */
export function mixed(one: string, other: string, share: number): string {
  const [first, second] = [oklabOf(lightOf(one)), oklabOf(lightOf(other))]
  const between = (axis: keyof Oklab) => first[axis] * share + second[axis] * (1 - share)
  return hexFrom(lightFrom({ l: between('l'), a: between('a'), b: between('b') }))
}

/** Returns the contrast of two colors, as WCAG 2 defines it: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [first, second] = [luminance(one), luminance(other)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

/** Returns the color of texts on a ground: white if it can be read there, otherwise black. */
export const inkOn = (ground: string): string =>
  contrast('#ffffff', ground) >= 4.5 ? '#ffffff' : '#000000'

function luminance(hex: string): number {
  const [red, green, blue] = lightOf(hex)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function lightOf(hex: string): Light {
  const digits = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, '$&$&') : hex
  const channel = (at: number): number => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

function hexFrom(light: Light): string {
  const channel = (value: number): string => {
    const curved = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055
    return Math.round(Math.min(1, Math.max(0, curved)) * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${light.map(channel).join('')}`
}

const isShown = (light: Light): boolean => light.every(value => value > -1e-6 && value < 1 + 1e-6)

// The matrices are those of the definition of OKLab by Björn Ottosson.
function oklabOf([red, green, blue]: Light): Oklab {
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return {
    l: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    a: 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    b: 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  }
}

function lightFrom({ l, a, b }: Oklab): Light {
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}
