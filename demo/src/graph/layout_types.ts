// What layouts take and give: boxes and arrows between them.

export interface LayoutInput {
  /** Width and height of each box, in turns. */
  readonly sizes: Float32Array;
  /** The boxes that each arrow leaves and reaches. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

export interface LayoutResult {
  /** Left and top of each box, in turns; all are >= 0. */
  readonly places: Float32Array;
  readonly width: number;
  readonly height: number;
  /** Points between the ends of each arrow, as x and y in turns. */
  readonly routes: readonly (readonly number[])[];
}

export const kGapX = 28;
export const kGapY = 42;
