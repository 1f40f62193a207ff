// Rows of the operators of ai.onnx.ml.
import { mapType, tensorType } from '../../js/make_model.mjs';
import { typesAt } from '../schemas.mjs';
import { make } from '../values.mjs';

const ints = (...list) => make('int64', [list.length], list);
const f = (dims, kind = 'small') => make('float32', dims, kind);
const s = (...list) => make('string', [list.length], list);
const name = (op) => `ai.onnx.ml.${op}`;
const mapOf = (key, value, entries) => Object.assign(new Map(entries), { type: mapType(key, tensorType(value, [])) });
const scalar = (type, v) => make(type, [], [v]);

function numeric(add, op, at, dims, { attributes, outputs = 1, kind = 'small', named = '' }) {
  for (const type of typesAt(name(op), at)) {
    if (type !== 'string')
      add(name(op), at, `${type} ${named}`.trim(), { inputs: [make(type, dims, kind)], attributes, outputs });
  }
}

function featureRows(add) {
  for (const type of typesAt(name('ArrayFeatureExtractor'), 1))
    add(name('ArrayFeatureExtractor'), 1, type, { inputs: [make(type, [2, 4]), ints(3, 0, 1)], move: [0] });
  add(name('ArrayFeatureExtractor'), 1, 'an index too large', { inputs: [f([2, 3]), ints(3)], error: /3/ });
  numeric(add, 'Binarizer', 1, [2, 3], { attributes: { threshold: 1 } });
  for (const type of typesAt(name('FeatureVectorizer'), 1)) {
    const expect = [f([2, 3], [1, 2, 5, 3, 4, 6])];
    add(name('FeatureVectorizer'), 1, type, {
      inputs: [make(type, [2, 2], [1, 2, 3, 4]), make(type, [2, 1], [5, 6])],
      attributes: { inputdimensions: [2, 1] },
      expect,
    });
  }
  add(name('Imputer'), 1, 'float32', {
    inputs: [f([2, 3], [1, NaN, 3, NaN, 5, 6])],
    attributes: { imputed_value_floats: [7, 8, 9], replaced_value_float: NaN },
  });
  add(name('Imputer'), 1, 'float64', {
    inputs: [make('float64', [1, 3], [1, -1, 3])],
    attributes: { imputed_value_floats: [7], replaced_value_float: -1 },
    expect: [make('float64', [1, 3], [1, 7, 3])],
  });
  for (const type of ['int32', 'int64'])
    add(name('Imputer'), 1, type, {
      inputs: [make(type, [1, 3], [1, 0, 3])],
      attributes: { imputed_value_int64s: [7], replaced_value_int64: 0 },
      expect: [make(type, [1, 3], [1, 7, 3])],
    });
  numeric(add, 'Scaler', 1, [2, 3], { attributes: { offset: [1, 0, -1], scale: [0.5, 2, 1] } });
  for (const norm of ['MAX', 'L1', 'L2'])
    numeric(add, 'Normalizer', 1, [2, 3], { attributes: { norm }, kind: 'positive', named: norm });
}

function labelRows(add) {
  const pairs = { cats_strings: ['a', 'b'], cats_int64s: [3, 5], default_int64: -1, default_string: 'none' };
  add(name('CategoryMapper'), 1, 'string', { inputs: [s('b', 'x', 'a')], attributes: pairs, expect: [ints(5, -1, 3)] });
  add(name('CategoryMapper'), 1, 'int64', {
    inputs: [ints(3, 4, 5)],
    attributes: pairs,
    expect: [s('a', 'none', 'b')],
  });
  add(name('LabelEncoder'), 1, 'string', {
    inputs: [s('b', 'x')],
    attributes: { classes_strings: ['a', 'b'], default_int64: -7 },
    expect: [ints(1, -7)],
  });
  for (const at of [2, 4]) {
    add(name('LabelEncoder'), at, 'string to int64', {
      inputs: [s('b', 'x')],
      attributes: { keys_strings: ['a', 'b'], values_int64s: [10, 20], default_int64: 0 },
      expect: [ints(20, 0)],
    });
    add(name('LabelEncoder'), at, 'int64 to float32', {
      inputs: [ints(2, 9)],
      attributes: { keys_int64s: [1, 2], values_floats: [0.5, 1.5], default_float: 9 },
      expect: [f([2], [1.5, 9])],
    });
    add(name('LabelEncoder'), at, 'a NaN', {
      inputs: [f([2], [NaN, 1])],
      attributes: { keys_floats: [NaN, 2], values_strings: ['nan', 'two'], default_string: 'none' },
      expect: [s('nan', 'none')],
    });
  }
  const table = (type, list) => make(type, [list.length], list);
  add(name('LabelEncoder'), 4, 'float64 to int16', {
    inputs: [make('float64', [3], [2, 1, 5])],
    attributes: {
      keys_tensor: table('float64', [1, 2]),
      values_tensor: table('int16', [7, -7]),
      default_tensor: table('int16', [42]),
    },
    expect: [make('int16', [3], [-7, 7, 42])],
  });
  add(name('LabelEncoder'), 4, 'int16 to string', {
    inputs: [make('int16', [2], [2, 3])],
    attributes: {
      keys_tensor: table('int16', [2]),
      values_tensor: table('string', ['two']),
      default_tensor: table('string', ['?']),
    },
    expect: [s('two', '?')],
  });
  add(name('LabelEncoder'), 4, 'int32 to int64', {
    inputs: [make('int32', [2], [2, 3])],
    attributes: {
      keys_tensor: table('int32', [2]),
      values_tensor: table('int64', [20]),
      default_tensor: table('int64', [0]),
    },
    expect: [ints(20, 0)],
  });
  for (const type of ['float32', 'float64', 'int32', 'int64'])
    add(name('OneHotEncoder'), 1, type, {
      inputs: [make(type, [3], [1, 5, 3])],
      attributes: { cats_int64s: [3, 1] },
      expect: [f([3, 2], [0, 1, 0, 0, 1, 0])],
    });
  add(name('OneHotEncoder'), 1, 'string', {
    inputs: [s('b', 'c')],
    attributes: { cats_strings: ['a', 'b'], zeros: 1 },
    expect: [f([2, 2], [0, 1, 0, 0])],
  });
  add(name('OneHotEncoder'), 1, 'an unknown one', {
    inputs: [ints(9)],
    attributes: { cats_int64s: [1], zeros: 0 },
    error: /9|categor/,
  });
}

function mapRows(add) {
  const byText = () =>
    mapOf('string', 'float32', [
      ['b', scalar('float32', 2.5)],
      ['a', scalar('float32', 1.5)],
    ]);
  const byNumber = () =>
    mapOf('int64', 'float32', [
      [2n, scalar('float32', 2.5)],
      [0n, scalar('float32', 1.5)],
    ]);
  add(name('CastMap'), 1, 'dense', {
    inputs: [byNumber()],
    attributes: { cast_to: 'TO_FLOAT' },
    expect: [f([1, 2], [1.5, 2.5])],
  });
  add(name('CastMap'), 1, 'sparse', {
    inputs: [byNumber()],
    attributes: { cast_to: 'TO_FLOAT', map_form: 'SPARSE', max_map: 4 },
    expect: [f([1, 4], [1.5, 0, 2.5, 0])],
  });
  add(name('DictVectorizer'), 1, 'texts', {
    inputs: [byText()],
    attributes: { string_vocabulary: ['a', 'x', 'b'] },
    expect: [f([1, 3], [1.5, 0, 2.5])],
  });
  add(name('DictVectorizer'), 1, 'numbers', {
    inputs: [byNumber()],
    attributes: { int64_vocabulary: [0, 2] },
    expect: [f([1, 2], [1.5, 2.5])],
  });
  const zipped = (check) => ({ inputs: [f([2, 2], [1, 2, 3, 4])], check });
  const maps =
    (first, second) =>
    ([list]) => {
      const found = list?.map((map) =>
        [...map]
          .map(([k, v]) => `${k}=${v.data?.[0] ?? v}`)
          .sort()
          .join(),
      );
      const wanted = [first, second].join(' ');
      return found?.join(' ') === wanted ? '' : `is ${found}, not ${wanted}`;
    };
  add(name('ZipMap'), 1, 'texts', {
    ...zipped(maps('a=1,b=2', 'a=3,b=4')),
    attributes: { classlabels_strings: ['a', 'b'] },
  });
  add(name('ZipMap'), 1, 'numbers', {
    ...zipped(maps('5=1,7=2', '5=3,7=4')),
    attributes: { classlabels_int64s: [5, 7] },
  });
  add(name('ZipMap'), 1, 'too few labels', {
    inputs: [f([2, 2])],
    attributes: { classlabels_int64s: [5] },
    error: /2|label/,
  });
}

const kTree = (prefix) => ({
  nodes_treeids: [0, 0, 0],
  nodes_nodeids: [0, 1, 2],
  nodes_featureids: [0, 0, 0],
  nodes_modes: ['BRANCH_LEQ', 'LEAF', 'LEAF'],
  nodes_values: [0.5, 0, 0],
  nodes_truenodeids: [1, 0, 0],
  nodes_falsenodeids: [2, 0, 0],
  nodes_missing_value_tracks_true: [1, 0, 0],
  [`${prefix}_treeids`]: [0, 0],
  [`${prefix}_nodeids`]: [1, 2],
  [`${prefix}_ids`]: [0, 1],
  [`${prefix}_weights`]: [0.25, 0.75],
});

function modelRows(add) {
  const linear = { coefficients: [0.5, -1, 0.25, 1, 0.125, -0.5], intercepts: [0.25, -0.75] };
  for (const post_transform of ['NONE', 'SOFTMAX', 'LOGISTIC']) {
    numeric(add, 'LinearClassifier', 1, [2, 3], {
      attributes: { ...linear, classlabels_ints: [4, 9], post_transform },
      outputs: 2,
      named: post_transform,
    });
    add(name('LinearRegressor'), 1, `to ${post_transform}`, {
      inputs: [f([2, 3])],
      attributes: { ...linear, targets: 2, post_transform },
    });
  }
  for (const type of typesAt(name('LinearRegressor'), 1)) {
    const x = make(type, [2, 3]);
    const by = { inputs: [f([2, 3], [...x.data].map(Number))] }; // the output is float32, whatever the input
    add(name('LinearRegressor'), 1, type, { inputs: [x], attributes: { ...linear, targets: 2 }, by });
  }
  add(name('LinearClassifier'), 1, 'texts', {
    inputs: [f([2, 3])],
    attributes: { ...linear, classlabels_strings: ['x', 'y'] },
    outputs: 2,
  });
  const svm = {
    kernel_type: 'RBF',
    kernel_params: [0.5, 0, 3],
    coefficients: [1, -0.5, 0.25],
    rho: [0.125],
    support_vectors: [0.5, 1, -1, 0.25, 1, 1],
  };
  for (const kernel_type of ['LINEAR', 'POLY', 'RBF', 'SIGMOID']) {
    add(name('SVMRegressor'), 1, kernel_type, {
      inputs: [f([3, 2])],
      attributes: { ...svm, kernel_type, n_supports: 3 },
    });
    add(name('SVMClassifier'), 1, kernel_type, {
      inputs: [f([3, 2])],
      attributes: { ...svm, kernel_type, vectors_per_class: [2, 1], classlabels_ints: [0, 1] },
      outputs: 2,
    });
  }
  for (const type of ['float64', 'int32', 'int64']) {
    const x = make(type, [2, 2]);
    const by = { inputs: [f([2, 2], [...x.data].map(Number))] };
    add(name('SVMRegressor'), 1, type, { inputs: [x], attributes: { ...svm, n_supports: 3 }, by });
    add(name('SVMClassifier'), 1, type, {
      inputs: [x],
      attributes: { ...svm, vectors_per_class: [2, 1], classlabels_ints: [0, 1] },
      outputs: 2,
      by,
    });
  }
  for (const at of [1, 3]) {
    for (const type of typesAt(name('TreeEnsembleRegressor'), at)) {
      const x = make(type, [4, 1], [0, 1, -2, 3]);
      const by = { inputs: [f([4, 1], [0, 1, -2, 3])] };
      add(name('TreeEnsembleRegressor'), at, type, {
        inputs: [x],
        attributes: { ...kTree('target'), n_targets: 2 },
        by,
      });
      add(name('TreeEnsembleClassifier'), at, type, {
        inputs: [x],
        attributes: { ...kTree('class'), classlabels_int64s: [5, 6] },
        outputs: 2,
        expect: [ints(5, 6, 5, 6), f([4, 2], [0.25, 0, 0, 0.75, 0.25, 0, 0, 0.75])],
      });
    }
    const odd = { inputs: [f([4, 1], [NaN, Infinity, -Infinity, 0.5])] };
    add(name('TreeEnsembleRegressor'), at, 'NaN and infinities', {
      ...odd,
      attributes: { ...kTree('target'), n_targets: 2 },
    });
    add(name('TreeEnsembleRegressor'), at, 'a node that is not there', {
      inputs: [f([1, 1])],
      attributes: { ...kTree('target'), nodes_truenodeids: [9, 0, 0], n_targets: 2 },
      error: /node|9/,
    });
  }
  for (const type of ['float32', 'float64', 'float16']) {
    const list = (v) => make(type, [v.length], v);
    const tree = {
      tree_roots: [0],
      n_targets: 1,
      nodes_featureids: [0],
      nodes_splits: list([0.5]),
      nodes_modes: make('uint8', [1], [0]),
      nodes_truenodeids: [0],
      nodes_falsenodeids: [1],
      nodes_trueleafs: [1],
      nodes_falseleafs: [1],
      leaf_targetids: [0, 0],
      leaf_weights: list([1.5, -2]),
      aggregate_function: 1,
      post_transform: 0,
    };
    add(name('TreeEnsemble'), 5, type, {
      inputs: [make(type, [3, 1], [0.25, 0.5, 2])],
      attributes: tree,
      expect: [make(type, [3, 1], [1.5, 1.5, -2])],
    });
  }
}

export function rows(add) {
  featureRows(add);
  labelRows(add);
  mapRows(add);
  modelRows(add);
}
