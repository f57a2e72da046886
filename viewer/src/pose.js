// Where a body or a shape is at the current moment of the record.
import * as THREE from "three";

const own = new THREE.Vector3();
const turn = new THREE.Quaternion();

const value = (record, number) => (number === undefined ? 0 : record.number(number));

// The frame of a system, from those of its coordinates that it has.
function placeCarrier(record, carrier, position, quaternion) {
  position.set(value(record, carrier.x), value(record, carrier.y), value(record, carrier.z));
  if (carrier.e0 !== undefined)
    quaternion.set(value(record, carrier.e1), value(record, carrier.e2), value(record, carrier.e3), value(record, carrier.e0)).normalize();
  else quaternion.setFromAxisAngle(Z, value(record, carrier.phi));
}

const Z = new THREE.Vector3(0, 0, 1);

// Of { carrier, position, rotation }, all of them optional, or of a sphere of a drawing with x, y, z.
export function placeOf(record, item, position, quaternion) {
  if (item.carrier) placeCarrier(record, item.carrier, position, quaternion);
  else {
    position.set(value(record, item.x), value(record, item.y), value(record, item.z));
    quaternion.identity();
  }
  if (item.position) position.add(own.fromArray(item.position).applyQuaternion(quaternion));
  if (item.rotation) {
    const [e0, e1, e2, e3] = item.rotation;
    quaternion.multiply(turn.set(e1, e2, e3, e0));
  }
}
