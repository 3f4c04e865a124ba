/** Returns a generator of reproducible pseudo-random numbers from 0 to below 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const syllables =
  'an be co de er fi ga ho in ju ka lo mi ne or pe qua re si to un ve wi ya ze bra cle dro fle gri'.split(
    ' ',
  )

function word(random: () => number): string {
  const length = 1 + Math.floor(random() * 3)
  return Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join('')
}

/** A sentence that ends with a full stop. */
export function sentence(random: () => number): string {
  const words = Array.from({ length: 6 + Math.floor(random() * 12) }, () => word(random)).join(' ')
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`
}

/**
 * The text of a page of about `bytes` bytes: headings, paragraphs, lists, code, a link and front
 * matter.
 */
export function pageText(title: string, bytes: number, random: () => number): string {
  const parts = [`---\ndescription: ${sentence(random)}\n---\n\n# ${title}\n`]
  let length = parts[0]!.length
  while (length < bytes) {
    const kind = random()
    const lines = Array.from({ length: 3 }, () => sentence(random))
    const part =
      kind < 0.1
        ? `## ${word(random)} ${word(random)}\n`
        : kind < 0.2
          ? `${lines.map(line => `* ${line}`).join('\n')}\n`
          : kind < 0.27
            ? `\`\`\`sh\n${word(random)} --${word(random)} ${word(random)}\n\`\`\`\n`
            : `${lines.join(' ')} See [${word(random)}](README.md) and **${word(random)}**.\n`

    parts.push(part)
    length += part.length + 1
  }

  return parts.join('\n')
}
