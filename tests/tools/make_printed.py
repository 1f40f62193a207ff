# Makes tests/js/data/printed.onnx and, with onnx.printer, printed.txt. By hand, in a venv with onnx:
#   python tests/tools/make_printed.py
import pathlib

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh
from onnx import parser, printer

then=h.make_graph([h.make_node('Add',['x','c'],['t'])],'then',[],[h.make_tensor_value_info('t',T.FLOAT,['N',3])],[nh.from_array(np.array([1.5,2.25,1/3],np.float32),'c')])
els=h.make_graph([h.make_node('Neg',['x'],['e'])],'else',[],[h.make_tensor_value_info('e',T.FLOAT,['N',3])])
g=h.make_graph([h.make_node('If',['b'],['y'],name='the if',then_branch=then,else_branch=els),
 h.make_node('Conv',['x4','w','' ],['z'],pads=[1,1,1,1],auto_pad='NOT"SET',name='n1'),
 h.make_node('Foo',['y'],['q'],domain='com.x',alpha=1.5,beta=1e-5,gamma=[1.0,0.1],k=3,s=[b'a',b'b\n'],t=nh.from_array(np.array([[1,2]],np.int64),'tt'), overload='ov'),
 h.make_node('Clip',['z','','mx'],['z2'])],
 'my graph',[h.make_tensor_value_info('x',T.FLOAT,['N',3]),h.make_tensor_value_info('b',T.BOOL,[]),h.make_tensor_value_info('x4',T.FLOAT,[None,1,5,5]),h.make_tensor_value_info('u',T.FLOAT,None)],
 [h.make_tensor_value_info('z2',T.FLOAT,None),h.make_tensor_sequence_value_info('q',T.FLOAT,['N'])],
 [nh.from_array(np.arange(9,dtype=np.float32).reshape(1,1,3,3),'w'),h.make_tensor('mx',T.FLOAT,[],[6.0]),h.make_tensor('fi',T.INT64,[2],[6,7]),h.make_tensor('s8',T.STRING,[1],[b'hi']),nh.from_array(np.array([True,False]),'bo'),nh.from_array(np.array([1.5],np.float16),'h')],
 value_info=[h.make_tensor_value_info('z',T.FLOAT,[1,'M'])])
f=h.make_function('com.x','Foo',['a'],['r'],[h.make_node('Mul',['a','a'],['r'])],[h.make_opsetid('',18)],['alpha'])
n=h.make_node('Elu',['a'],['r2']); a=n.attribute.add(); a.name='alpha'; a.ref_attr_name='alpha'; a.type=1
f2=h.make_function('com.x','Bar',['a'],['r2'],[n],[h.make_opsetid('',18)],['alpha'])
m=h.make_model(g,opset_imports=[h.make_opsetid('',18),h.make_opsetid('com.x',1)],functions=[f,f2],producer_name='p"q',producer_version='1',doc_string='hello\nworld')
h.set_model_props(m,{'a':'b','c d':'e'})
m.ir_version=8
folder = pathlib.Path(__file__).parent.parent / "js" / "data"
onnx.save(m, folder / "printed.onnx")
text = printer.to_text(m)
parser.parse_model(text)
(folder / "printed.txt").write_text(text)
