/**
 * The hosts whose players a page may load when a reader asks for it: for the `frame-src` of its
 * policy.
 */
export const playerHosts = ['www.youtube-nocookie.com', 'player.vimeo.com', 'www.loom.com'] as const

const players: readonly { address: RegExp; player: (id: string) => string }[] = [
  {
    address:
      /^https?:\/\/(?:(?:www|m)\.)?youtube(?:-nocookie)?\.com\/(?:watch\?(?:[^#]*&)?v=|embed\/|shorts\/|live\/)([\w-]{6,20})/i,
    player: id => `https://${playerHosts[0]}/embed/${id}`,
  },
  {
    address: /^https?:\/\/youtu\.be\/([\w-]{6,20})/i,
    player: id => `https://${playerHosts[0]}/embed/${id}`,
  },
  {
    address: /^https?:\/\/(?:www\.|player\.)?vimeo\.com\/(?:video\/)?(\d{4,12})/i,
    player: id => `https://${playerHosts[1]}/video/${id}`,
  },
  {
    address: /^https?:\/\/(?:www\.)?loom\.com\/(?:share|embed)\/([0-9a-f]{16,40})/i,
    player: id => `https://${playerHosts[2]}/embed/${id}`,
  },
]

/** Returns the address of the player of a recording; undefined for other addresses. */
export function playerOf(address: string): string | undefined {
  for (const { address: pattern, player } of players) {
    const id = pattern.exec(address.slice(0, 500))?.[1]
    if (id !== undefined) return player(id)
  }
  return undefined
}
