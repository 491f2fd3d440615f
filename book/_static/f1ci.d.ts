// Types of f1ci.js. Counts are x = TP, y = FP, w = FN; level is the confidence level, such as 0.95.
// No argument is checked: pass whole numbers that are not negative, and levels between 0 and 1.

type Limits = [low: number, high: number];

/** Items by truth and by which model is right: see f1ci.js. */
interface Comparison {
  tp: number; posA: number; posB: number; fn: number;
  fp: number; negA: number; negB: number; tn: number;
}

/** Counts that fit a rounding: every number of false positives between `from` and `to`. */
interface Fit { tp: number; fn: number; from: number; to: number; }

declare const f1ci: {
  twoSided(level: number): number;
  f1Estimate(x: number, wrong: number): number;
  wilsonIndirect(x: number, wrong: number, level: number): Limits;
  wilsonDirect(x: number, wrong: number, level: number): Limits;
  wald(x: number, wrong: number, level: number): Limits;
  fbetaWeights(beta: number): { a: number; b: number };
  tverskyEstimate(x: number, y: number, w: number, a: number, b: number): number;
  tverskyScore(x: number, y: number, w: number, a: number, b: number, level: number): Limits;
  /** The range of any metric of a table of counts: its value and slopes by cell at any probabilities. */
  regionLimits(
    evaluate: (q: number[]) => { value: number; slopes: number[] }, counts: number[], z: number,
  ): Limits;
  classCounts(matrix: number[][]): { x: number; y: number; w: number }[];
  modelCounts(counts: Comparison): { x: number; y: number; w: number }[];
  differenceScore(counts: Comparison, a: number, b: number, level: number): Limits;
  differenceP(counts: Comparison, a: number, b: number): number;
  /** Bands [least, most] of rounded scores. Only each `step`-th number of true positives is tried. */
  fittingCounts(
    bands: { precision?: Limits; recall?: Limits; f1?: Limits }, positives: number, step?: number,
  ): Fit[];
  sampleSize(beta: number, halfWidth: number, prevalence: number | null, level: number): {
    positives: number; total: number | null;
  };
};
export = f1ci;
